import { describe, expect, test } from 'bun:test'
import { SourceIndex } from '@csp/grounding/source-index'
import { cleanWritten } from '@csp/lib/text'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { runs, sampled } from '@csp/testing/runs'
import fc from 'fast-check'
import { MarkdownGuard } from '../../packages/grounding/src/markdown-guard.ts'
import { withoutMarkers } from '../../src/api/dialects/shared/cited-text.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { GroundedAnswer } from '../../src/executor/answer/answer-text.ts'
import { groundJson } from '../../src/executor/answer/json/answer.ts'
import { sanitised } from '../../src/executor/layers/sanitising/sanitised.ts'
import { testApp } from '../api/test-app.ts'
import { concretePath } from '../support/concrete-path.ts'
import { disguises } from '../support/disguises.ts'
import { searchRoutes } from '../support/routes.ts'
import { scriptedExecutor } from '../support/scripted-executor.ts'
import { ruleFor } from './prompt-routes.ts'
import { textsIn } from './reply-texts.ts'

// What a model writes in disguise is dead in what leaves: as it stands, cleaned once more, and without its markers.
// `FUZZ_SEED` makes other ones.
const seed = Number(process.env['FUZZ_SEED'] ?? 4711)

const sources = [
  { title: 'Seals', url: 'https://seals.example/a', snippet: 'Seals bark.', source: 'scripted' },
  { title: 'Terns', url: 'https://terns.example/b', snippet: 'Terns fly.', source: 'scripted' },
]

function answerOf(pieces: readonly string[]): readonly SearchEvent[] {
  const answer = new GroundedAnswer()
  answer.addSources(sources)
  return [...pieces.flatMap((piece) => [...answer.push(piece)]), ...answer.end()]
}

function textOf(pieces: readonly string[]): string {
  return answerOf(pieces)
    .map((event) => (event.type === 'text-delta' ? event.text : ''))
    .join('')
}

/** As clients read it: some remove what is invisible, some the markers, with or without the space before them. */
const readings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/\p{DI}/gu, ''),
  (text) => text.replace(/\[\d+\]/g, ''),
  (text) => text.replace(/[ \t]*\[\d+\]/g, ''),
  (text) => text.replace(/\p{DI}/gu, '').replace(/[ \t]*\[\d+\]/g, ''),
]

function expectDead(text: string): void {
  expect(cleanWritten(text)).toBe(text)
  // Most texts read the same in several ways.
  for (const read of new Set(readings.map((read) => read(text)))) expect(liveMarkup(read)).toEqual([])
}

/** `npm test` tries one in ten of these; the texts of several of them, made by chance, are of all. */
const texts = sampled(Object.entries(disguises))
const anyText = fc.oneof(...[disguises, hostileMarkdown].map((known) => fc.constantFrom(...Object.values(known))))
const anyJoined = fc
  .array(fc.tuple(anyText, fc.constantFrom('', ' ', '\n', '\n\n', '[1]', ' [2] ', '\n- ', '`')), { maxLength: 4 })
  .map((parts) => parts.flat().join(''))
  .filter((text) => text.length < 2000)

describe('in what is grounded', () => {
  test.each(texts)('%s is dead', (_, text) => {
    for (const whole of [text, `Seals bark [1]. ${text} They swim [2].`, `- ${text.replaceAll('\n', '\n  ')}\n`]) {
      expectDead(textOf([whole]))
      expect(textOf([...whole])).toBe(textOf([whole]))
    }
  })

  test('several of them are, in any order', () => {
    fc.assert(
      fc.property(anyJoined, (text) => {
        const citations = answerOf([text]).flatMap((event) => (event.type === 'citation' ? [event.citation] : []))
        const whole = textOf([text])
        expect(cleanWritten(whole)).toBe(whole)
        for (const read of new Set([
          whole,
          whole.replace(/\p{DI}/gu, ''),
          withoutMarkers({ text: whole, citations }),
        ])) {
          expect(liveMarkup(read)).toEqual([])
        }
      }),
      { numRuns: runs(1500), seed },
    )
  })

  test('guarding it once more changes nothing', () => {
    fc.assert(
      fc.property(anyJoined, (text) => {
        const once = textOf([text])
        const guard = new MarkdownGuard()
        guard.write(once)
        expect(guard.finish()).toEqual(once === '' ? [] : [{ type: 'text-delta', text: once }])
      }),
      { numRuns: runs(1500), seed },
    )
  })
})

const seals = [{ role: 'user', content: 'seals' }]
const gemini = { contents: [{ parts: [{ text: 'seals' }] }], tools: [{ googleSearch: {} }] }
const paths = new Set(searchRoutes.filter(({ methods }) => methods.POST).map(({ path }) => path))

/** Ways to ask for a written answer, whole and streamed, one of equal paths each. */
const asks: readonly { readonly path: string; readonly body?: unknown }[] = [
  ...[...paths]
    .filter((path) => !paths.has(path.replace(/^\/(?:v1|gemini)(?=\/)/, '')) || !/^\/(?:v1|gemini)\//.test(path))
    .flatMap((path) => (ruleFor('POST', path)?.asks ?? []).map((ask) => ({ path, ...ask('seals') })))
    .flatMap(({ path, body }) => [body, { ...Object(body), stream: true }].map((sent) => ({ path, body: sent })))
    .map(({ path, body }) => ({ path: concretePath(path), body })),
  { path: '/v1beta/models/gemini-flash-latest:streamGenerateContent', body: gemini },
  { path: '/v1beta/models/gemini-flash-latest:streamGenerateContent?alt=sse', body: gemini },
  { path: '/res/v1/chat/completions', body: { messages: seals, stream: true, enable_citations: true } },
  { path: '/res/v1/summarizer/search?inline_references=true&key=%7B%22q%22%3A%22seals%22%7D' },
  { path: '/exa/answer', body: { query: 'seals' } },
  { path: '/exa/answer', body: { query: 'seals', stream: true } },
]

let pieces: readonly string[] = ['Seals bark.']
const executor = scriptedExecutor(({ want, schema }) => {
  const search = [
    { type: 'search-start', id: 'one', query: 'seals' },
    { type: 'search-results', id: 'one', results: sources },
  ] as const
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const done = { type: 'done', reason: 'stop', usage, model: 'scripted' } as const
  if (want !== 'answer') return [...search, done]
  return [
    ...search,
    ...(schema ? [{ type: 'text-delta', text: '{"answer":"bees"}' } as const] : answerOf(pieces)),
    done,
  ]
})
const { search } = sanitised(executor)
const app = testApp({ ...executor, search })

/** Some replies list their sources behind the answer, where a formula that the answer left open has them in it. */
const ofSource = / https:\/\/(?:seals|terns)\.example\/[ab]$|: math :\/\/[st]$/

async function replyTo({ path, body }: (typeof asks)[number]) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await app.request(path, init)
  return { status: response.status, text: await response.text() }
}

test('on every route, whole and streamed, however the model cuts its text', async () => {
  const live: (typeof asks)[number][] = []
  for (const ask of asks) {
    const { status } = await replyTo(ask)
    const { want, schema } = executor.requests.at(-1) ?? {}
    if (status === 200 && want === 'answer' && !schema) live.push(ask)
  }
  expect(new Set(live.map(({ path }) => path)).size).toBeGreaterThan(12)
  const cut = fc.integer({ min: 1, max: 40 })
  // Most texts of a reply are the same each time: models, titles, types.
  const dead = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...live), anyJoined, cut, async (ask, text, length) => {
      pieces = text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []
      for (const [place, shown] of textsIn((await replyTo(ask)).text)) {
        if (dead.has(shown)) continue
        expect([place, ...liveMarkup(shown).filter((line) => !ofSource.test(line))]).toEqual([place])
        dead.add(shown)
      }
    }),
    { numRuns: runs(1500), seed },
  )
})

test.each(texts)('%s in JSON leads to no foreign address, or the JSON is refused', (_, text) => {
  const index = new SourceIndex()
  index.add(sources)
  const { value, problems } = groundJson({ answer: text }, index)
  const { answer } = Object(value)
  expect(cleanWritten(answer)).toBe(answer)
  const foreign = (line: string) =>
    /^commonmark: (?:(?:link|image) |html.*=["']?)(?:\/\/|https?:|javascript:|data:|file:)/s.test(line)
  if (problems.length === 0) expect(liveMarkup(answer).filter(foreign)).toEqual([])
})
