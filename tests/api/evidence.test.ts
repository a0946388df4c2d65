import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { languages } from '../../packages/evidence/test/languages.ts'
import { createStack, type StackOptions } from '../../src/executor/layers/stack.ts'
import { citedAnswer, expectedVerdicts, pageUrl } from '../support/cited-answer.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { scriptedExecutor } from '../support/scripted-executor.ts'
import { answerRoutes, streamedEvidence } from '../support/written-answers.ts'
import { testApp } from './test-app.ts'

/** The app as the server puts it together, over a backend that has written an answer, and pages that say what they say. */
function answering(language: string, evidence: StackOptions['evidence'] = {}) {
  const reader = fakePageReader({
    [pageUrl(language)]: languages[language]?.page ?? '',
    [pageUrl('walled')]: new PageError('blocked-by-status', 'The site answered 403.'),
  })
  const executor = createStack([scriptedExecutor(citedAnswer(language))], {
    excerpts: { reader, source: 'pages' },
    evidence,
  })
  return testApp(Object.assign(executor, { requests: [] }) as never, { pages: reader })
}

const question = 'what was asked'
const messages = [{ role: 'user', content: question }]
const googleSearch = { contents: [{ parts: [{ text: question }] }], tools: [{ googleSearch: {} }] }
const webSearch = [{ type: 'web_search_20250305', name: 'web_search' }]

// The check itself is tested in every language; a reply may differ by its letters.
describe.each(['en', 'ja', 'ru'])('in %s', (language) => {
  test.each(answerRoutes)('$path says what of the answer is on its pages (%#)', async ({ path, body, streamed }) => {
    const app = answering(language)
    const whole = await app.post(path, body(question))
    const { evidence = [] } = whole.body
    expect(evidence.map(({ verdict }: { verdict: string }) => verdict)).toEqual(expectedVerdicts)
    expect(evidence[1]?.missing).toHaveLength(1)
    expect(whole.headers.get('x-csp-evidence')).toBe('found=1 partly=1 not-found=1 not-read=1')
    if (!streamed) return
    const init = { method: 'POST', body: JSON.stringify({ ...body(question), ...streamed }) }
    const said = streamedEvidence(await (await answering(language).request(path, init)).text())
    expect(said.map(({ verdict }) => verdict)).toEqual(expectedVerdicts)
  })

  test('Gemini has it as the confidence of each passage', async () => {
    const { post } = answering(language)
    const { body, headers } = await post('/v1beta/models/gemini-flash-latest:generateContent', googleSearch)
    const { groundingSupports } = body.candidates[0].groundingMetadata
    const scores = groundingSupports.map((one: { confidenceScores: number[] }) => one.confidenceScores)
    expect(scores).toHaveLength(4)
    expect(scores[0][0]).toBeGreaterThanOrEqual(0.75)
    expect(scores[3]).toEqual([0])
    expect(headers.get('x-csp-evidence')).toStartWith('found=1')
  })

  test('a citation of the Messages API has the words of the page', async () => {
    const { post } = answering(language)
    const body = { model: 'claude-sonnet-4-5', max_tokens: 500, messages, tools: webSearch }
    const { content } = (await post('/v1/messages', body)).body
    const [first] = content.flatMap((block: { citations?: unknown[] }) => block.citations ?? [])
    const page = languages[language]?.page.replace(/[#*\s]+/g, '') ?? ''
    expect(first.cited_text.length).toBeGreaterThan(10)
    expect(page).toContain(first.cited_text.replace(/[#*\s]+/g, ''))
  })
})

test('a citation of the Messages API has the words of the page in a stream, too, where they are known', async () => {
  const events = citedAnswer('en').map((event) =>
    event.type === 'citation' ? { ...event, citation: { ...event.citation, quote: 'The words of the page.' } } : event,
  )
  const { request } = testApp(Object.assign(createStack([scriptedExecutor(events)], {}), { requests: [] }) as never)
  const body = { model: 'claude-sonnet-4-5', max_tokens: 500, messages, tools: webSearch, stream: true }
  const text = await (await request('/v1/messages', { method: 'POST', body: JSON.stringify(body) })).text()
  const cited = [...text.matchAll(/"cited_text":"([^"]*)"/g)].map(([, words]) => words)
  expect(cited).toEqual(Array.from({ length: 4 }, () => 'The words of the page.'))
})

test('a caller may leave out the check', async () => {
  const asked = [{ model: 'sonnet', messages }, { 'x-csp-evidence': 'off' }] as const
  const { body, headers } = await answering('en').post('/v1/chat/completions', ...asked)
  expect({ evidence: body.evidence, header: headers.get('x-csp-evidence') }).toEqual({
    evidence: undefined,
    header: null,
  })
})
