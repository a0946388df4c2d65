import { describe, expect, test } from 'bun:test'
import { checkClaims } from '@csp/evidence/check'
import { nativeUpstream } from '@csp/gateway/native/native'
import { loneSearch } from '@csp/gateway/server-tools/fast-search'
import { addressesIn } from '@csp/lib/addresses'
import { withoutWordsOf } from '@csp/lib/quoted-words'
import { hostOf, normaliseUrl, plainUrl } from '@csp/lib/url'
import { withoutVolatileText } from '@csp/messages-api/volatile'
import type { Page } from '@csp/page-reader/page'
import { cpuSince, longestTurn } from '@csp/testing/longest-turn'
import { errorWords } from '../../packages/gateway/src/catalogue/error-within.ts'
import { explain } from '../../packages/gateway/src/catalogue/explain.ts'
import { understand } from '../../packages/gateway/src/catalogue/understand.ts'
import { CitedDeltas } from '../../packages/gateway/src/server-tools/cited-deltas.ts'
import { refusedFeature } from '../../packages/gateway/src/translation/refusal.ts'
import { forms } from '../../packages/gateway/src/translation/reply/written-calls/forms.ts'
import { WrittenCalls } from '../../packages/gateway/src/translation/reply/written-calls/written-calls.ts'
import { exchange } from '../../packages/gateway/test/support/provider-stream.ts'
import { withoutMarkers } from '../../src/api/dialects/shared/cited-text.ts'
import { mcpFetchPage } from '../../src/api/endpoints/mcp/fetch-page.ts'
import { causeChain } from '../../src/api/exchange/failure-report.ts'
import { readDomain } from '../../src/api/fields/places.ts'
import { readSiteOperators } from '../../src/api/fields/site-operators.ts'
import { verifyClaims } from '../../src/api/serve/verify.ts'
import { explainFailure } from '../../src/executor/backends/claude/cli/errors.ts'
import { explainMessages } from '../../src/executor/backends/messages/error.ts'
import { readFailure } from '../../src/executor/wire/failure.ts'
import { verifyLogin } from '../../src/tunnel/login.ts'
import { readToEdge } from '../../src/tunnel/protocol.ts'
import { maxTurnMs, slowLetters } from './worst-letters.ts'

// Nobody may stop csp for all others with a text that takes a parser quadratic time.

const messages = (text: string) => ({ model: 'm', messages: [{ role: 'user' as const, content: text }] })
const url = 'https://a.example/'
const page: Omit<Page, 'content' | 'totalCharacters'> = {
  url,
  finalUrl: url,
  status: 200,
  contentType: 'text/html',
  format: 'markdown',
  links: [],
  offset: 0,
  remaining: 0,
}

/** What reads the text of a caller, a page, a model, an upstream, the CLI or another csp. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'addresses that a user names': addressesIn,
  'a domain of a filter': (text) => [readDomain(text), hostOf(text), hostOf(`a.example/${text}`)],
  'operators of a query': readSiteOperators,
  'an address': (text) => [normaliseUrl(text), plainUrl(`https://a.example/${text}`)],
  'a page for an agent': (content) => mcpFetchPage.format({ ...page, content, totalCharacters: content.length }),
  'an answer with markers': (text) =>
    withoutMarkers({ text, citations: [{ number: 1, url, title: '', start: text.length - 1, end: text.length }] }),
  // A longer page is read in pieces, as the test below has it.
  'a claim and the page that it is compared with': (text) =>
    checkClaims([{ text: text.slice(0, 1500), sources: [1] }], () => ({
      text: `${text.slice(0, 30_000)} "a 1" of 4 May 2026`,
    })),
  'an error for the log': (text) => causeChain(new Error(text, { cause: new Error(text) }), []),
  'an error that quotes a request': (text) => withoutWordsOf([text], text.slice(0, 500)),
  'an error of the CLI': (text) => explainFailure({ text }, new Date()),
  'an error of the Messages API': (text) =>
    explainMessages({ status: 400, headers: new Headers(), text: envelope(text) }, new Date()),
  'a failure of another csp': (text) => readFailure({ type: 'error', code: 'failed', message: text }),
  'a conversation of Claude Code': (text) =>
    withoutVolatileText({ ...messages(`${text}<total_tokens>`), system: [{ type: 'text', text }] }),
  'a lone search': (text) =>
    loneSearch({ ...messages(text), tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  'an error of a provider': (text) => {
    const failure = { status: 400, body: envelope(`max_tokens ${text}`) }
    const words = errorWords(failure.body)
    const understood = understand(failure, words)
    const body = { model: 'm', stream: true, max_tokens: 1e9, temperature: 1, stop: [] }
    return [
      refusedFeature({ failure, words, understood }, body, []),
      explain(failure, { name: 'x', isNamed: true, key: 'key' }),
    ]
  },
  'a text with the numbers of pages': (text) => {
    const cited = new CitedDeltas()
    return [...cited.push(text, 3), ...cited.push('x', 3), ...cited.end(3)]
  },
  ...Object.fromEntries(
    forms.map(([opening], at) => [
      `a text with calls of tools, form ${at}: ${opening}`,
      (text: string) => {
        const calls = new WrittenCalls(new Map([['a', {}]]))
        return [calls.push(`${opening}${text}`), calls.push(text), calls.end()]
      },
    ]),
  ),
  'a frame of a home': readToEdge,
  'the login of a home': (text) => verifyLogin(() => 'a secret of a home', `CSP-Home v=3,${text}`, 'a.example'),
}

describe.each(Object.entries(parsers))('%s', (_, parse) => {
  test('is read in time that grows with its length alone', async () => {
    expect(await slowLetters(parse)).toEqual([])
  })
})

test('fifty long claims and their sources are compared in pieces, between which others are answered', async () => {
  const text = Array.from({ length: 8000 }, (_, at) => `The ${at} of ${1900 + (at % 100)} May grew. `).join('')
  const sources = [{ text: text.slice(0, 150_000) }, { text: '4/5/2026 '.repeat(16_000) }]
  const claims = Array.from({ length: 50 }, (_, at) => ({ text: text.slice(at, at + 5000), sources }))
  const startedAt = process.cpuUsage()
  const longest = await longestTurn(() => verifyClaims(claims, []), Number.POSITIVE_INFINITY)
  expect(longest).toBeLessThan(cpuSince(startedAt) / 2)
})

describe('an upstream that speaks the Messages API', () => {
  const reads = (text: string) => {
    const fetch = async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    const upstream = nativeUpstream({ name: 'x', baseUrl: 'http://x.example', key: 'a-key-of-the-gateway', fetch })
    const { signal } = new AbortController()
    const request = { ...messages('hi'), max_tokens: 1, stream: true }
    return [
      async () => (await upstream.forward(request, { signal })).text(),
      async () => Array.fromAsync(upstream.send(request, { signal })).catch(() => {}),
    ]
  }

  test.each([
    ['names its first event again and again', '"message_start"'.repeat(17_000)],
    ['begins its first event again and again', 'data:"message_start"\rdata:'.repeat(10_000)],
    ['sends empty lines', '\n'.repeat(250_000)],
    ['sends events that are none', 'data: \n\n'.repeat(30_000)],
    ['repeats the beginning of its key', 'a-key-of-the-gatewa'.repeat(13_000)],
  ])('and %s', async (_, text) => {
    for (const read of reads(text)) expect(await longestTurn(read, maxTurnMs)).toBeLessThan(maxTurnMs)
  })
})

describe('a provider that sends in one chunk', () => {
  const call = (index: number) => ({ index, id: `call_${index}`, function: { name: 'f', arguments: '{}' } })
  test.each([
    ['20,000 calls of tools', { tool_calls: Array.from({ length: 20_000 }, (_, index) => call(index)) }],
    ['20,000 thoughts', { reasoning_details: Array.from({ length: 20_000 }, () => ({ type: 'a', text: 'b' })) }],
  ])('%s', async (_, delta) => {
    const chunks = [{ choices: [{ delta }] }, { choices: [{ delta: {}, finish_reason: 'stop' }] }, '[DONE]'] as const
    expect(await longestTurn(() => exchange(chunks).catch(() => {}), 2 * maxTurnMs)).toBeLessThan(2 * maxTurnMs)
  })
})

function envelope(message: string): string {
  return JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })
}
