import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { withErrors } from '../../scripts/error-page.ts'
import { exitCodes } from '../../src/runtime/cli/command.ts'
import { root } from './markdown.ts'

const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')

test('docs/errors.md is as `npm run docs` writes it', () => {
  expect(page).toBe(withErrors(page))
})

test('what the symptoms in docs/errors.md quote stands in the source', () => {
  const sources = [...new Glob('src/**/*.{ts,tsx}').scanSync({ cwd: root })].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  const symptoms = page.slice(page.indexOf('## By symptom'), page.indexOf('<!--'))
  const quoted = [...symptoms.matchAll(/"([^"]+)"/g)].flatMap(([, text = '']) =>
    text.split('…').map((part) => part.trim()),
  )
  const parts = quoted.flatMap((text) => text.split(/\b(?:5|52480)\b/)).map((part) => part.trim())
  expect(parts.length).toBeGreaterThan(8)
  expect(parts.filter((part) => !sources.some((source) => source.includes(part)))).toEqual([])
})

test('docs/cli.md has every exit code', () => {
  const rows = readFileSync(join(root, 'docs/cli.md'), 'utf8').split('\n')
  for (const code of Object.values(exitCodes)) expect(rows.some((row) => row.startsWith(`| ${code} |`))).toBe(true)
})
