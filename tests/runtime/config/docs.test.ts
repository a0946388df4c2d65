import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTables } from '../../../scripts/docs.ts'
import { backendNames } from '../../../src/runtime/config/declarations/backends.ts'

const page = readFileSync(join(import.meta.dir, '../../../docs/configuration.md'), 'utf8')

test('docs/configuration.md has the tables that npm run docs writes', () => {
  expect(page).toBe(withTables(page))
})

test.each(backendNames)('docs/backends.md says how to set up %s', (name) => {
  const text = readFileSync(join(import.meta.dir, '../../../docs/backends.md'), 'utf8')
  expect(text).toContain(`**${name}**`)
})
