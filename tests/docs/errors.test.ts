import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Failure } from '../../src/api/dialect.ts'
import { pageFailureCodes } from '../../src/api/http/page-failure.ts'
import { exitCodes } from '../../src/runtime/cli/command.ts'
import { documents, root } from './markdown.ts'
import { messagesInCode } from './messages.ts'

const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')

// Each code once; a new one does not compile until it stands here.
const codes = {
  'invalid-request': true,
  unauthorized: true,
  'signed-out': true,
  'rate-limited': true,
  busy: true,
  unavailable: true,
  ungrounded: true,
  timeout: true,
  cancelled: true,
  failed: true,
  'unknown-model': true,
  'not-found': true,
  'method-not-allowed': true,
  'too-large': true,
  forbidden: true,
  'page-unreadable': true,
  'pages-off': true,
} satisfies Record<Failure['code'], true>

test('docs/errors.md has a section for every code of a failed request, and for no other', () => {
  const [document] = documents(['docs/errors.md'])
  const sections = document?.anchors.filter(
    (anchor) => !['errors-by-code-and-by-message', 'exit-codes'].includes(anchor),
  )
  expect(sections?.toSorted()).toEqual(Object.keys(codes).toSorted())
})

test('docs/errors.md has a row for every code of a page, and for every exit code', () => {
  const named: readonly string[] = Object.keys(pageFailureCodes)
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  for (const code of named) expect(rows.some((row) => row.includes(`\`${code}\``))).toBe(true)
  for (const code of Object.values(exitCodes)) expect(rows.some((row) => row.startsWith(`| ${code} |`))).toBe(true)
})

test('docs/errors.md has every message that an error of csp begins with', () => {
  const messages = messagesInCode()
  expect(messages.length).toBeGreaterThan(100)
  const missing = messages.filter(({ words }) => !page.includes(words))
  expect(missing.map(({ path, words }) => `${path}: ${words}`)).toEqual([])
})
