import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longestTurn } from '@csp/testing/longest-turn'
import { runs } from '@csp/testing/runs'
import { answerPaths, keepReceiptsIn } from './letter-answers.ts'

// Whatever a model writes, and however it comes, others wait for no turn of 50 ms on its way through csp.

setDefaultTimeout(600_000)
const folder = mkdtempSync(join(tmpdir(), 'csp-letters-'))
keepReceiptsIn(folder)
afterAll(() => rmSync(folder, { recursive: true }))

const maxMs = 50
const length = 100_000

const letters: readonly string[] = [
  '[1] a. ·[1].\n·[1]: ·[1][2] ·海豹叫[1]。·- [1] a\n·> [1] a\n·| [1] | a |\n·```\n[1]\n·$[1]$ ·【1†source】·[1, 2] ',
  '[a](https://seals.example/a). ·"far out" [1] ·42 [1]. ·Seals bark at night [1]. ·<a ·</a>·<x@·<b>·![·](·[·]·[a](b) ',
  '$$·$$\n·$`$ ·\\[·\\href{·```·```\n·```js\na\n```\n·- ```\n·~~~\n·`·*·_·\\·|·| a | b |\n·--|·> ·> > > ·- \n·#·"·“a” ',
  '1·1234567890·1,234.5 ·1.\n·\t·\n\n·a·a\n·A b. ·a.\n·。·2026-01-02 ·4 May 2026, ·https://a.example/ ·a.example ·x.com/',
  'é·a\u0301·\u0301\u0316·海·海豹。·\u200f·\u202e·\u200e[1]·\u200d·👩\u200d👩\u200d👧·🇩🇪·\ud800·🐝·//a ·Sources:\n',
  '{"a":·[{"a":[·]}·&amp;·&#x6a;·&colon;·<think>·</think>·§·Sources:\n- https://seals.example/a\n',
].flatMap((line) => line.split('·'))

/** Those on each path; together the paths try all of them. */
const tried = Math.min(letters.length, runs(10))

describe.each(Object.keys(answerPaths).map((name, place) => ({ name, place })))('$name', ({ name, place }) => {
  test('takes no turn of 50 ms', async () => {
    const path = answerPaths[name]
    const slow: string[] = []
    for (let at = 0; at < tried; at++) {
      const letter = letters[(place * 7 + at * 11) % letters.length] ?? ''
      const text = letter.repeat(Math.ceil(length / letter.length)).slice(0, length)
      const longest = await longestTurn(async () => expect((await path?.(text))?.length).toBeGreaterThan(50), maxMs)
      if (longest >= maxMs) slow.push(`${JSON.stringify(letter)}: ${Math.round(longest)} ms`)
    }
    expect(slow).toEqual([])
  })
})
