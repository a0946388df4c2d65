import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { messagesIn, messagesInSource, withErrors } from '../../scripts/error-page.ts'
import { exitCodes } from '../../src/runtime/cli/command.ts'
import { root } from './markdown.ts'

const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')

test('docs/errors.md is as `npm run docs` writes it', () => {
  expect(messagesInSource().length).toBeGreaterThan(150)
  expect(page).toBe(withErrors(page))
})

test('messages are found behind constants, in templates, in alternatives and in tables', () => {
  const source = `
    const message = 'Another one.'
    const advice = 'Run it.'
    throw new SearchError('timeout', \`It took \${seconds} s. \${advice}\`)
    const message = isLate ? 'It came too late.' : 'It came too early.'
    throw new PageError(isLate ? 'timeout' : 'failed', message, { cause })
    throw new UpstreamError(502, error.message)
    const kinds = [{ code: 'signed-out', message: 'Nobody is signed in.' }, { code: 'blue', message: 'A colour.' }]`
  expect(messagesIn('a.ts', source).map(({ kind, code, text }) => `${kind} ${code}: ${text}`)).toEqual([
    'search timeout: It took … s. Run it.',
    'page timeout: It came too late.',
    'page timeout: It came too early.',
    'page failed: It came too late.',
    'page failed: It came too early.',
    'search signed-out: Nobody is signed in.',
  ])
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
