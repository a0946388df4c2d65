import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { documents, root } from './docs/markdown.ts'

const page = readFileSync(join(root, 'docs/how-it-works.md'), 'utf8')
const walk = page.slice(page.indexOf('## One streamed answer'), page.indexOf('## Two engines'))

test('every file that the walk in how-it-works.md names exists, and is named once', () => {
  const bases = ['', 'executor', 'executor/backends/claude']
  const named = [...walk.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = '']) => path)
  const found = named.map((path) =>
    [path, ...bases.map((base) => join('src', base, path))].find((full) => existsSync(join(root, full))),
  )
  expect(named.filter((_, at) => found[at] === undefined)).toEqual([])
  expect(found.filter((path, at) => found.indexOf(path) !== at)).toEqual([])
  expect(named.length).toBeGreaterThan(30)
})

const maps = documents(['{AGENTS,CONTRIBUTING}.md', 'tests/README.md', 'docs/how-it-works.md', 'docs/recipes/*.md'])
const codes = maps.flatMap(({ path, codes: all }) => all.map(({ text, line }) => ({ text, where: `${path}:${line}` })))
const files = [
  ...new Glob('{src,tests,packages,scripts,bench,integrations,examples,docs,bin}/**/*').scanSync({ cwd: root }),
]
const code = files.filter((path) => /\.(?:tsx?|m?js)$/.test(path)).map((path) => readFileSync(join(root, path), 'utf8'))

test('the files and folders that the maps of the code name exist', () => {
  const places = files.map((path) => `/${path}`)
  const named = codes.flatMap(({ text, where }) =>
    expanded(text)
      .filter((path) => /^[\w.-]+(?:\/[\w.-]+)*\/$|^[\w.-]+(?:\/[\w.-]+)*\.tsx?$/.test(path) && !path.includes('NAME'))
      .map((path) => ({ path, where })),
  )
  expect(named.length).toBeGreaterThan(100)
  const isThere = (path: string) => {
    if (/^(?:src|tests|packages|scripts|bench|docs|integrations)\//.test(path)) return existsSync(join(root, path))
    return places.some((place) => (path.endsWith('/') ? place.includes(`/${path}`) : place.endsWith(`/${path}`)))
  }
  expect(named.filter(({ path }) => !isThere(path))).toEqual([])
})

test('the names that the maps of the code mention stand in the code', () => {
  const words = new Set([...code, readFileSync(join(root, 'tsconfig.json'), 'utf8')].join('\n').match(/[\w$]+/g))
  const named = codes.flatMap(({ text, where }) =>
    (text.match(/\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]\w*/g) ?? []).map((name) => ({ name, where })),
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ name }) => !words.has(name))).toEqual([])
})

/** `src/{a,b}/` as both. */
function expanded(text: string): readonly string[] {
  const [, before, inner, after] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(text) ?? []
  return inner === undefined ? [text] : inner.split(',').map((part) => `${before}${part}${after}`)
}
