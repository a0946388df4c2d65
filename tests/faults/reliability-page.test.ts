import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8')
const strategies = join(root, 'tests/executor/backends/claude/strategies')
const titles = [import.meta.dir, strategies]
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.ts') && path !== import.meta.path)
  .flatMap((path) => titlesIn(readFileSync(path, 'utf8')))

/** The titles of tests and groups, and the names in their tables. A part that is filled in is left out. */
function titlesIn(code: string): readonly string[] {
  const strings = code.matchAll(/(?:\(|name: |^\s+\[?|\[)(['`])((?:(?!\1).)+)\1/gm)
  return [...strings].flatMap(([, , text = '']) => text.split(/\$\{[^}]*\}|%s/))
}

const quoted = [...page.matchAll(/-t "([^"]+)"/g)].map(([, name = '']) => name)
const named = [...page.matchAll(/tests\/[\w/-]+\.test\.ts/g)].map(([path]) => path)

test('docs/reliability.md quotes tests and names files', () => {
  expect(quoted.length).toBeGreaterThan(30)
  expect(named.length).toBeGreaterThan(3)
})

test.each([...new Set(quoted)])('docs/reliability.md quotes an existing test title: %s', (name) => {
  // A title with a part that is filled in: what is quoted of it may reach into that part.
  const holds = titles.some((title) => title.includes(name) || (title.length > 8 && name.startsWith(title)))
  const isGroup = /^(SIG\w+) to$/.exec(name)
  expect(holds || (isGroup && titles.some((title) => title === ' to'))).toBe(true)
})

test.each([...new Set(named)])('docs/reliability.md names an existing file: %s', (path) => {
  expect(existsSync(join(root, path))).toBe(true)
})
