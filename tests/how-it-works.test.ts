import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const page = readFileSync(join(root, 'docs/how-it-works.md'), 'utf8')
const walk = page.slice(page.indexOf('## One streamed answer'), page.indexOf('## Two engines'))

test('every file that the walk in how-it-works.md names exists, and is named once', () => {
  const bases = ['', 'executor', 'executor/layers/resilience', 'executor/backends/claude']
  const named = [...walk.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = '']) => path)
  const found = named.map((path) =>
    bases.map((base) => join('src', base, path)).find((full) => existsSync(join(root, full))),
  )
  expect(named.filter((_, at) => found[at] === undefined)).toEqual([])
  expect(found.filter((path, at) => found.indexOf(path) !== at)).toEqual([])
  expect(named.length).toBeGreaterThan(30)
})
