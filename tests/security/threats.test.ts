import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '../..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
// A test file, or one of those that a test file is made of.
const path = /tests\/[\w/-]+(?:\.test)?\.ts/g
const named = [...new Set(page.match(path))]

test.each(named)('docs/security.md names %s, which exists', (path) => {
  expect(existsSync(join(root, path))).toBe(true)
})

test('every threat in docs/security.md names a test, and every test of this folder belongs to a threat', () => {
  const table = page.slice(page.indexOf('## Threats')).split('\n\n')[1] ?? ''
  const rows = table.split('\n').slice(2)
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => !row.match(path))).toEqual([])
  const own = [...new Glob('*.test.ts').scanSync(import.meta.dir)].map((name) => `tests/security/${name}`)
  expect(own.filter((path) => !path.endsWith('/threats.test.ts') && !named.includes(path))).toEqual([])
})
