import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longestTurnOfTwo } from '../support/longest-turn.ts'
import { runs } from '../support/runs.ts'
import { answerPaths, keepReceiptsIn } from './letter-answers.ts'

// Whatever a model writes, and however it comes, others wait for no turn of 50 ms on its way through csp.

setDefaultTimeout(600_000)
const folder = mkdtempSync(join(tmpdir(), 'csp-letters-'))
keepReceiptsIn(folder)
afterAll(() => rmSync(folder, { recursive: true }))

const maxMs = 50
const length = 70_000

const letters: readonly string[] = [
  ...[
    '<a ',
    '$$\n',
    '$`$ ',
    '```\n',
    '`',
    '[',
    ']',
    '*',
    '_',
    '\\',
    '|',
    '> ',
    '- \n',
    '#',
    '"',
    '1',
    'é',
    '\u0301',
    '海',
  ],
  ...[
    '{"a":',
    '[{"a":[',
    ']}',
    'a',
    'A b. ',
    'a.\n',
    '。',
    '2026-01-02 ',
    '4 May 2026, ',
    'https://a.example/ ',
    'a.example ',
  ],
  ...[
    '![',
    '](',
    '[a](b) ',
    '<b>',
    '&amp;',
    '<think>',
    '</think>',
    '§',
    '\u200d',
    '🐝',
    '\ud800',
    '~~~\n',
    '\n\n',
    '\t',
  ],
  ...['Sources:\n', '"far out" ', '42 ', 'Seals bark at night. '],
]

/** Those on each path; together the paths try all of them. */
const tried = Math.min(letters.length, runs(12))

describe.each(Object.keys(answerPaths).map((name, place) => ({ name, place })))('$name', ({ name, place }) => {
  test('takes no turn of 50 ms', async () => {
    const path = answerPaths[name]
    const slow: string[] = []
    for (let at = 0; at < tried; at++) {
      const letter = letters[(place * 7 + at * 11) % letters.length] ?? ''
      const text = letter.repeat(Math.ceil(length / letter.length)).slice(0, length)
      const longest = await longestTurnOfTwo(
        async () => expect((await path?.(text))?.length).toBeGreaterThan(50),
        maxMs,
      )
      if (longest >= maxMs) slow.push(`${JSON.stringify(letter)}: ${Math.round(longest)} ms`)
    }
    expect(slow).toEqual([])
  })
})
