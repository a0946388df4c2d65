import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longestTurn } from '@csp/testing/longest-turn'
import { MemoryFile } from '../../src/storage/page-memory/memory-file.ts'

// One thread has the memory: a page or a query that keeps it busy keeps all others from it.

/** In words, in runs and in piles, as a page or a caller might repeat them. */
const repeated = ['a.', '1,', 'data:', 'ア', 'ก', 'é', '\u0301\u0316', '"a" OR ', 'NEAR(a b) ']
const scratch = mkdtempSync(join(tmpdir(), 'csp-memory-'))
const addressOf = (letters: string) => `https://a.example/${encodeURIComponent(letters)}`
let file: MemoryFile

beforeAll(() => {
  file = new MemoryFile({ path: join(scratch, 'memory.sqlite'), maxBytes: 1e9 })
})
afterAll(() => {
  file.close()
  rmSync(scratch, { recursive: true })
})

test('pages of repeated letters are kept in time', async () => {
  for (const letters of repeated) {
    const text = `word ${letters.repeat(40_000)}`.slice(0, 40_000)
    const pages = Array.from({ length: 10 }, (_, at) => {
      return { url: `${addressOf(letters)}${at || ''}`, title: text, text, extent: 'whole' as const, owner: '' }
    })
    // Piles of marks took 200 s.
    expect(await longestTurn(() => file.keep(pages), maxMs)).toBeLessThan(maxMs)
  }
})

test.each(repeated)('and a query that repeats %j, and one like such a page, are answered in time', async (letters) => {
  const { longest, rows } = await timed({ query: `word ${letters.repeat(1000)}` })
  expect(rows).not.toBeEmpty()
  expect(longest).toBeLessThan(maxMs)
  expect((await timed({ query: '', similarTo: addressOf(letters) })).longest).toBeLessThan(maxMs)
})

async function timed(recall: { readonly query: string; readonly similarTo?: string }) {
  let rows: ReturnType<MemoryFile['recall']> = []
  const longest = await longestTurn(() => {
    rows = file.recall({ ...recall, filters: {} })
  }, maxMs)
  return { longest, rows }
}

/** Of a thread of its own, which no other caller waits for. */
const maxMs = 2500
