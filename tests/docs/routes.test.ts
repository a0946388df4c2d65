import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { concretePath } from '../support/concrete-path.ts'
import { jobRoutes, pageRoutes, searchRoutes } from '../support/routes.ts'
import { root } from './markdown.ts'

const page = readFileSync(join(root, 'docs/api.md'), 'utf8')

test('docs/api.md has every route that searches or reads pages', () => {
  const table = page.slice(page.indexOf('## Routes'), page.indexOf('## Our own shape'))
  const patterns = table.split('\n').flatMap(pathsOf).map(patternOf)
  const paths = [...searchRoutes, ...pageRoutes, ...jobRoutes].map(({ path }) => concretePath(path))
  expect(paths.length).toBeGreaterThan(60)
  expect(paths.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([])
  for (const foreign of ['/no-vendor/search', '/search/no/tool'])
    expect(patterns.filter((pattern) => pattern.test(foreign))).toEqual([])
})

/** The paths in one row. `…` at the beginning of a path stands for each of those that the row writes whole. */
function pathsOf(row: string): readonly string[] {
  const written = [...row.matchAll(/`(?:(?:GET|POST|DELETE)\b,? ?)*(\/?[^`]*)`/g)].map(([, path = '']) => path)
  const whole = written.filter((path) => !path.startsWith('…'))
  const continued = written.filter((path) => path.startsWith('…')).map((path) => path.slice(1))
  return [...whole, ...continued.flatMap((rest) => whole.map((path) => path + rest))]
}

/** `{a,b}` is one of both, `{name}` any segment, `…` anything; `/v1` may stand before each. */
function patternOf(path: string): RegExp {
  const written = path
    .replaceAll('.', '\\.')
    .replaceAll('?', '\\?')
    .replaceAll(/\{([^{}]*)\}/g, (_, inner: string) =>
      inner.includes(',') ? `(?:${inner.replaceAll(',', '|')})` : '[^/]+',
    )
    .replaceAll('…', '.*')
  return new RegExp(`^(?:/v1)?${written}$`)
}
