import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { concretePath } from '../support/concrete-path.ts'
import { jobRoutes, pageRoutes, searchRoutes } from '../support/routes.ts'
import { root } from './markdown.ts'

const page = readFileSync(join(root, 'docs/api.md'), 'utf8')

test('docs/api.md has every route that searches or reads pages', () => {
  const table = page.slice(page.indexOf('## Routes'), page.indexOf('## Our own shape'))
  const patterns = [...table.matchAll(/`(?:(?:GET|POST|DELETE)\b,? ?)*(\/?[^`]*)`/g)].map(([, path = '']) =>
    patternOf(path),
  )
  const paths = [...searchRoutes, ...pageRoutes, ...jobRoutes].map(({ path }) => concretePath(path))
  expect(paths.length).toBeGreaterThan(60)
  expect(paths.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([])
})

/** `{a,b}` is one of both, `{name}` any segment, `…` anything; `/v1` may stand before each. */
function patternOf(path: string): RegExp {
  const written = path
    .replaceAll('.', '\\.')
    .replaceAll('?', '\\?')
    .replaceAll(/\{([^{}]*)\}/g, (_, inner: string) =>
      inner.includes(',') ? `(?:${inner.replaceAll(',', '|')})` : '.+',
    )
    .replaceAll('…', '.*')
  return new RegExp(`^(?:/v1)?${written}$`)
}
