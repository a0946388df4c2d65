import { describe, expect, test } from 'bun:test'
import { Grounding } from '@csp/grounding/grounding'
import { SourceIndex } from '@csp/grounding/source-index'
import { isAddress } from '@csp/lib/addresses'
import { mayVisit } from '@csp/lib/domain-lists'
import { eventReader } from '@csp/lib/event-stream'
import { LineCutter } from '@csp/lib/lines'
import { SecretFilter } from '@csp/lib/secret'
import { cleanSnippet, cleanTitle } from '@csp/lib/snippet'
import { cleanText, cleanWritten, plainLine, shellWord } from '@csp/lib/text'
import { longestTurn } from '@csp/testing/longest-turn'
import { siteOf } from '../../../packages/grounding/src/urls.ts'
import type { SearchEvent } from '../../../src/domain/search.ts'
import { fullDate } from '../../../src/executor/answer/dates.ts'
import { parseExcerpts } from '../../../src/executor/answer/excerpts.ts'
import { AddressNames } from '../../../src/executor/answer/json/addresses.ts'
import { findJson, groundJson, JsonAnswer } from '../../../src/executor/answer/json/answer.ts'
import { JsonShape, parametersProblem } from '../../../src/executor/answer/json/shape.ts'
import { numberedLine } from '../../../src/executor/answer/numbered-line.ts'
import { section } from '../../../src/executor/answer/prompt/fence.ts'
import { excludeHints } from '../../../src/executor/answer/prompt/filter-hints.ts'
import { regrounded } from '../../../src/executor/answer/regrounded.ts'
import { endAtStop } from '../../../src/executor/answer/stop-sequences.ts'
import { sanitised } from '../../../src/executor/layers/sanitising/sanitised.ts'
import { maxTurnMs, slowLetters } from '../../security/worst-letters.ts'
import { scriptedExecutor } from '../../support/scripted-executor.ts'

// No model, page or caller stops csp for all others with a text that takes one of its readers quadratic time.

const url = 'https://a.example/'
const sources = [{ url, title: 'Seals', source: 'x' }]
const index = new SourceIndex()
index.add(sources)
const { signal } = new AbortController()
const done = {
  type: 'done',
  reason: 'stop',
  usage: { searches: 0, inputTokens: 0, outputTokens: 0 },
  model: 'm',
} as const

const lines = (text: string) => text.match(/[\s\S]{1,70}/g) ?? []
const bytes = (text: string) => lines(text).map((line) => new TextEncoder().encode(line))

function ground(text: string): void {
  const grounding = new Grounding()
  grounding.addSources(sources)
  grounding.push(text)
  grounding.end()
}

function check(schema: Readonly<Record<string, unknown>>, value: unknown): unknown {
  try {
    return new JsonShape(schema).problems(value)
  } catch (error) {
    return error
  }
}

function regroundedText(text: string): void {
  const read = regrounded({ query: 'x', want: 'answer', filters: {}, history: [], effort: 'standard' })
  const events: readonly SearchEvent[] = [
    { type: 'search-results', id: 'a', results: sources },
    { type: 'text-delta', text },
  ]
  for (const event of [...events, done]) read(event)
}

async function* stream(pieces: readonly string[]) {
  for (const text of pieces) yield { type: 'text-delta', text } as const
  yield done
}

/** What reads a stream, which comes in pieces: no model or server sends more than this at once. */
const streams: Readonly<Record<string, (text: string) => unknown>> = {
  'an answer': ground,
  'an answer of many lines': (text) => ground(lines(text).join('\n')),
  'an answer that ends with sources': (text) => ground(`Seals.\n\nSources:\n${lines(text).join('\n')}`),
  'an answer of spans': (text) =>
    ground(
      lines(text)
        .map((line) => `\`${line}\` `)
        .join(''),
    ),
  'a fenced answer': (text) => ground(`\`\`\`\n${text}`),
  'a destination': (text) => ground(`[a](${text}`),
  'an answer of another csp': regroundedText,
  'bytes of a server': (text) => {
    const [filter, cutter, events] = [new SecretFilter(`${text.slice(0, 60)}§`), new LineCutter(1e6), eventReader(1e6)]
    return bytes(`data: ${text}`).map((chunk) => [filter.push(chunk), [...cutter.take(chunk)], events(chunk)])
  },
}

/** What reads the text of a model, a page or a caller on its way to an answer. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'text that is cleaned': (text) => [plainLine(text), cleanText(text), cleanWritten(text), shellWord(text)],
  'the name of a site': siteOf,
  'a title and an excerpt': (text) => [cleanTitle(text, url), cleanSnippet(text), cleanSnippet(`[a](${text}`)],
  'lines about pages': (text) => [parseExcerpts(text, sources), parseExcerpts(lines(text).join('\n1 a|'), sources)],
  'a numbered line': (text) => [numberedLine(`1 ${text}`), numberedLine(`1 a.${text}`), fullDate(text)],
  'JSON among words': (text) => [...findJson(`${'{'.repeat(200)}${text}`), ...findJson(`\`\`\`json\n${text}\n\`\`\``)],
  'a string of JSON': (text) => groundJson({ a: text, url: text, b: `](${text}`, c: `href${text}`, [text]: 1 }, index),
  'a name of JSON': (text) => [
    isAddress(text),
    new AddressNames({ properties: { [text]: { format: text } }, $ref: `#/${text}` }),
  ],
  'a schema': (text) => [
    check({ pattern: text, title: text }, text),
    check({ $ref: text }, 1),
    parametersProblem({ properties: { [text]: {} } }),
  ],
  'a string of a format': (text) =>
    ['uri', 'url', 'uri-reference', 'uri-template', 'email', 'hostname', 'regex', 'date-time', 'json-pointer'].map(
      (format) => check({ format }, text),
    ),
  'stop sequences': (text) =>
    Array.fromAsync(endAtStop(stream(lines(text)), [`${text.slice(0, 2000)}§`, `${text.slice(5, 1500)}§`], () => {})),
  'rows of a backend': (text) => {
    const row = { url, title: text, snippet: text, passages: [text], publishedAt: text, source: 'x' }
    const executor = scriptedExecutor([
      { type: 'search-start', id: 'a', query: text },
      { type: 'search-results', id: 'a', results: [row] },
      done,
    ])
    return Array.fromAsync(
      sanitised(executor).search(
        { query: 'x', want: 'results', filters: {}, history: [], effort: 'standard' },
        { signal },
      ),
    )
  },
  'words in a prompt': (text) => [section('question', text, { a: text }), excludeHints([text, ...lines(text)])],
  'lists of domains': (text) => mayVisit(new URL(url), { allowed: [text, ...lines(text)] }),
}

describe.each([
  ...Object.entries(readers).map(([name, read]) => ({ name, read, length: 100_000 })),
  ...Object.entries(streams).map(([name, read]) => ({ name, read, length: 25_000 })),
])('$name', ({ read, length }) => {
  test('takes time that grows with its length alone', async () => {
    expect(await slowLetters(read, { length })).toEqual([])
  })
})

const refs = Array.from({ length: 5000 }, (_, at) => [`p${at}`, { $ref: `#/properties/p${(at + 1) % 5000}` }])
const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`

test.each([
  ['a schema of 5,000 references', () => new JsonShape({ type: 'object', properties: Object.fromEntries(refs) })],
  ['brackets that lines cut', () => ground('[[[[[[[[[[[[[[[]\n'.repeat(6000))],
  ['links in links', () => ground(`${'[a '.repeat(60)}${'](b.c)'.repeat(60)} `.repeat(150))],
])('%s', async (_, work) => {
  expect(await longestTurn(work, 2 * maxTurnMs)).toBeLessThan(2 * maxTurnMs)
})

test.each([
  ['lists', '[', ']'],
  ['objects', '{"a":', '}'],
])('JSON of 200 levels of %s is an answer, of 201 none', (_, open, close) => {
  const problemsOf = (levels: number) => {
    const answer = new JsonAnswer(new JsonShape({}), true)
    answer.push(`${open.repeat(levels)}1${close.repeat(levels)}`)
    return answer.problems()
  }
  expect([problemsOf(200), problemsOf(201)]).toEqual([[], ['It has more than 200 levels.']])
})

test('JSON of 50,000 levels is refused', () => {
  const answer = new JsonAnswer(new JsonShape({}), true)
  answer.push(deep)
  expect(answer.problems()).toEqual([expect.stringContaining('levels')])
})
