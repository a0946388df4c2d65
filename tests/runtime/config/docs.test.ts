import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTables } from '../../../scripts/docs.ts'
import { backendNames } from '../../../src/runtime/config/declarations/backends.ts'
import { settings } from '../../../src/runtime/config/settings.ts'

const page = readFileSync(join(import.meta.dir, '../../../docs/configuration.md'), 'utf8')

test('docs/configuration.md has the tables that npm run docs writes', () => {
  expect(page).toBe(withTables(page))
})

test.each(settings.map((setting) => [setting.flag, setting] as const))(
  'docs/configuration.md describes --%s',
  (flag, setting) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${setting.isFlag ? '--' : ''}${flag}\``))
    expect(row).toBeDefined()
    expect(row).toContain(setting.help)
    if (setting.variable) expect(row).toContain(`\`${setting.variable}\``)
  },
)

test.each(backendNames)('docs/backends.md says how to set up %s', (name) => {
  const text = readFileSync(join(import.meta.dir, '../../../docs/backends.md'), 'utf8')
  expect(text).toContain(`**${name}**`)
})
