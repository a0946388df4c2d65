import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Evidence } from '@csp/evidence/evidence'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { foreignInPage } from '../support/readers/pages.ts'

// What csp's commands print as Markdown is as dead as the answer. What they print is put together of many texts: each
// stands beside the next, and half of a code span in one may pair with half of another.

const url = 'https://seals.example/a'
const inCode = 'the sea `<img src=x onerror=alert(1)>` and'
const hostile: Readonly<Record<string, string>> = {
  'a definition': hostileMarkdown['a definition of a marker'] ?? '',
  'an image': hostileMarkdown['an image on the next line'] ?? '',
  'an element': '<img src=x onerror=alert(1)>',
  'an element in code behind half of a code span': `a \` b. ${inCode} \` c`,
  'a formula': '$$\\href{javascript:alert(1)}{x}$$ \\(\\url{//evil.example}\\)',
  'an address that is a link by itself': 'See //evil.example/p and evil.example/p.png?q=1 here',
  'what a mark of doubt would make a link of': 'Seals bark.(evil.example)',
}

/** What moves other rows, or the terminal. */
const unprintable: Readonly<Record<string, string>> = {
  'a row of its own': 'a\tb\n\u2028https://evil.example/\tc\td\te\r\u000bf',
  'an escape of a terminal': '\u001b]8;;https://evil.example\u0007a\u001b]8;;\u0007 \u009b2J \u202ea\u0000',
}

let far: ReturnType<typeof Bun.serve>
let folder: string
let text = ''
const before = 'Seals bark loudly [1]. '

function events() {
  const line = text.replace(/\s+/g, ' ')
  const verdict = { verdict: 'not-found', score: 0, sources: [1] } as const
  const evidence: Evidence[] = [line, 'half ` of a span', inCode, 'the other ` half'].map((sentence) => ({
    ...{ ...verdict, sentence, start: 0, end: before.length + text.indexOf('.') + 1 },
    missing: [{ kind: 'quotation', text: sentence }],
  }))
  const rows = [text, 'half ` of a span', inCode].map((words, place) => ({
    ...{ title: words, url: place === 0 ? url : `${url}${place}`, snippet: words, passages: [words], source: 'far' },
  }))
  const body = [
    { type: 'search-start', id: 'one', query: 'seals' },
    { type: 'search-results', id: 'one', results: rows },
    { type: 'text-delta', text: `${before}${text} They swim [1]. And ${text} [2][3].` },
    {
      ...{ type: 'done', reason: 'stop', model: 'm', evidence },
      usage: { searches: 1, inputTokens: 1, outputTokens: 1 },
    },
  ]
  return body.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csp-printed-'))
  far = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: ({ url: address }) =>
      address.endsWith('/health')
        ? Response.json({ ready: true, status: 'ok', backends: [] })
        : new Response(events(), { headers: { 'content-type': 'text/event-stream' } }),
  })
})
afterAll(async () => {
  await far.stop(true)
  rmSync(folder, { recursive: true })
})

async function printed(words: readonly string[]): Promise<string> {
  const environment = {
    ...{ HOME: folder, CSP_BACKENDS: 'remote', CSP_REMOTE_URL: `http://127.0.0.1:${far.port}`, CSP_MEMORY: 'off' },
    ...{ CSP_EXCERPTS: 'lines', CSP_CACHE_TTL: '0' },
  }
  const shell = testShell({ environment, directory: folder })
  const code = await main(words, shell)
  expect([code, shell.complaints()]).toEqual([0, ''])
  return shell.printed()
}

/** All that is live but links to the rows. */
function liveIn(markdown: string): readonly string[] {
  return liveMarkup(markdown).filter((line) => !/: link https:\/\/seals\.example\/a\d?$/.test(line))
}

describe.each([
  ['ask', '-f', 'md'],
  ['ask', '--receipt'],
  ['ask', '-f', 'md', '--all'],
  ['search', '-f', 'md'],
  ['research', '--effort', 'low'],
])('csp %s %s %s', (...words) => {
  test.each(Object.entries(hostile))('prints %s dead', async (_, one) => {
    text = one
    const markdown = await printed([...words, 'what do seals do?'])
    expect(markdown).toContain(url)
    expect(liveIn(markdown)).toEqual([])
  })
})

test.each(Object.entries(hostile))('csp ask -f json has %s dead in its answer and evidence', async (_, one) => {
  text = one
  const { answer, evidence } = JSON.parse(await printed(['ask', '-f', 'json', 'what do seals do?']))
  const quoted = evidence.flatMap(({ sentence, missing }: Evidence) => [
    sentence,
    ...(missing ?? []).map((m) => m.text),
  ])
  expect(quoted.length).toBeGreaterThan(3)
  for (const words of [answer, ...quoted]) expect(liveMarkup(words)).toEqual([])
})

test.each(Object.entries(hostile))('csp research --html has %s as text', async (_, one) => {
  text = one
  const page = await printed(['research', '--html', '--effort', 'low', 'what do seals do?'])
  expect(page).toContain('class="not-found"')
  expect(foreignInPage(page, (address) => /^https:\/\/seals\.example\/a\d?$/.test(address))).toEqual([])
})

describe.each([
  ['ask', '-f', 'tsv', '--all'],
  ['search', '-f', 'tsv'],
  ['search', '-f', 'urls'],
  ['search', '-f', 'text'],
  ['ask', '--all', '-f', 'text'],
])('csp %s %s %s', (...words) => {
  test.each(Object.entries({ ...hostile, ...unprintable }))('prints %s in its own place', async (_, one) => {
    text = one
    const shown = await printed([...words, 'what do seals do?'])
    expect(shown).not.toMatch(/[^\t\n\x20-\x7e\u{a0}-\u{10ffff}]|[\u202a-\u202e\u2066-\u2069]/u)
    const lines = shown.trimEnd().split('\n')
    if (words.includes('tsv')) expect(lines.map((line) => line.split('\t').length)).toEqual([4, 4, 4])
    if (words.includes('urls')) expect(lines).toEqual([url, `${url}1`, `${url}2`])
    if (words[0] === 'ask' && words.includes('text')) expect(liveMarkup(shown.split('\n\n[1]')[0] ?? '')).toEqual([])
  })
})
