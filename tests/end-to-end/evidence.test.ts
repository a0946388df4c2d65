import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { languages } from '../../packages/evidence/test/languages.ts'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { expectedVerdicts, knownSentences } from '../support/cited-answer.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { launcher } from '../support/tested-program.ts'
import { answerRoutes, streamedEvidence } from '../support/written-answers.ts'

// A sandbox whose model writes known sentences over the pages of a loopback site.

/** Has a page in the language that the query begins with at each place but the second, where it wants no reader. */
const site = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ url }) {
    if (url.endsWith('/robots.txt')) return new Response('', { status: 404 })
    const [, language = '', place = ''] = /[/=](en|de|fr|ru|zh)-0[a-z0-9-]*?(?:-(\d))?(?:[_./&]|$)/.exec(url) ?? []
    const paragraphs = languages[language]?.page.replace(/^#.*$/m, '').split(/\n+/).filter(Boolean) ?? []
    if (paragraphs.length === 0 || place === '1') return new Response('', { status: 403 })
    const html = `<html lang="${language}"><article>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article></html>`
    return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  },
})
const origin = `http://127.0.0.1:${site.port}`
const standIn = startSandbox({ resultCount: 3, sites: [origin], scenario: 'recite' })
const flags = ['--rate', '0', '--excerpts', 'pages', '--pages-allow', `127.0.0.1:${site.port}`]
let csp: CspProcess

afterAll(async () => {
  await csp.stop()
  await Promise.all([standIn.stop(), site.stop(true)])
})

const names = ['en', 'de', 'fr', 'ru', 'zh']
const question = (language: string) =>
  `${language} [0] ${knownSentences(language)
    .map(([sentence, page]) => `${sentence} [${page}]`)
    .join(' ')}`
/** Requests of one shape share an answer, but none that is streamed is that of a whole one. */
const wholeHeaders = { 'x-csp-evidence': 'report' }
const post = (path: string, body: object, headers = {}) =>
  fetch(csp.url + path, { method: 'POST', body: JSON.stringify(body), headers })
const verdictsOf = (evidence: readonly { readonly verdict: string }[] = []) => evidence.map(({ verdict }) => verdict)
const inAll = <Expected>(verdicts: Expected) => Object.fromEntries(names.map((language) => [language, verdicts]))
/** One after another: the pages are on one site, which is asked with pauses. */
async function ofAll<Result>(ask: (language: string) => Promise<Result>): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {}
  for (const language of names) results[language] = await ask(language)
  return results
}

beforeAll(async () => {
  csp = await startCsp({ standInUrl: standIn.url, flags })
  // On a busy machine pages come late: here they are known before.
  const init = { headers: { 'x-csp-excerpts': 'none' } }
  for (const language of names) {
    const list = await fetch(`${csp.url}/v1/search?q=${encodeURIComponent(question(language))}`, init)
    const { results } = (await list.json()) as { readonly results: readonly { readonly url: string }[] }
    const urls = results.flatMap(({ url }, place) => (place === 1 ? [] : url))
    await eventually(async () => {
      const pages = await post('/v1/extract', { urls })
      const read = ((await pages.json()) as { readonly results: readonly { readonly error: unknown }[] }).results
      return read.every(({ error }) => !error)
    })
  }
  // A fast answer learns from the one before it that its pages come in time, which a busy machine may show late. Each one
  // reads three pages again, of a site that is asked for two a second.
  await eventually(async () => {
    await Bun.sleep(1500)
    const body = { model: 'sonar', messages: [{ role: 'user', content: question('en') }] }
    const answer = await post('/v1/chat/completions', body, { ...wholeHeaders, 'cache-control': 'no-cache' })
    return answer.headers.get('x-csp-evidence')?.startsWith('found=1 ') ?? false
  })
})

describe('a right sentence, a wrong figure, an invented quotation and a page that cannot be read', () => {
  test.each(answerRoutes)('have these verdicts in each language from $path (%#)', async ({ path, body, streamed }) => {
    const whole = await ofAll(async (language) => {
      const response = await post(path, body(question(language)), wholeHeaders)
      const { evidence } = (await response.json()) as { readonly evidence?: readonly { readonly verdict: string }[] }
      return [verdictsOf(evidence), response.headers.get('x-csp-evidence')]
    })
    expect(whole).toEqual(inAll([expectedVerdicts, 'found=1 partly=1 not-found=1 not-read=1']))
    if (!streamed) return
    const streams = await ofAll(async (language) => {
      const response = await post(path, { ...body(question(language)), ...streamed })
      return verdictsOf(streamedEvidence(await response.text()))
    })
    expect(streams).toEqual(inAll(expectedVerdicts))
  })

  const counts = 'found=1 partly=1 not-found=1 not-read=1'

  test('have these verdicts in each language from Gemini, as confidence', async () => {
    const path = '/v1beta/models/gemini-flash-latest:generateContent'
    const headers = await ofAll(async (language) => {
      const contents = [{ parts: [{ text: question(language) }] }]
      const response = await post(path, { contents, tools: [{ googleSearch: {} }] })
      const { candidates } = (await response.json()) as { readonly candidates: readonly Candidate[] }
      const supports = candidates[0]?.groundingMetadata?.groundingSupports ?? []
      return [supports.length, response.headers.get('x-csp-evidence')]
    })
    expect(headers).toEqual(inAll([4, counts]))
  })

  test('have these verdicts in the receipt that csp ask prints', async () => {
    const settings = { CSP_EXCERPTS: 'pages', CSP_PAGES_ALLOW: `127.0.0.1:${site.port}`, CSP_MEMORY: 'off' }
    const child = Bun.spawn(['node', launcher, 'ask', question('en'), '--receipt'], {
      env: { ...claudeEnvironment(standIn.url, csp.home), ...settings, CSP_CLAUDE_BIN: standInClaude() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const printed = await new Response(child.stdout).text()
    expect(await child.exited).toBe(0)
    expect(printed).toStartWith('# en ')
    const verdicts = [...printed.matchAll(/^ {2}- (\S+) /gm)].map(([, verdict]) => verdict)
    expect(verdicts).toEqual(expectedVerdicts)
    expect(printed).toContain('on no page: the number 15,000')
  })

  describe('in an answer that is judged', () => {
    const [right = ''] = languages['en']?.right ?? []
    const wrong = languages['en']?.wrong[0]?.[0] ?? ''
    const content = `en [0] ${right} [1] ${wrong} [1]`
    const body = { model: 'sonnet', messages: [{ role: 'user', content }] }
    const judged = [
      ['found', { model: 'haiku', says: 'supported', words: expect.any(String) }],
      ['not-found', { model: 'haiku', says: 'contradicted', words: expect.any(String) }],
    ]
    const seen = (evidence: readonly { readonly verdict: string; readonly judge?: object }[] = []) =>
      evidence.map(({ verdict, judge }) => [verdict, judge])
    const header = { 'x-csp-evidence': 'judge' }

    test('the search model is asked once about all sentences, fenced, and the reply says who judged', async () => {
      const before = standIn.sandbox.stats().callsByKind.write
      const response = await post('/v1/chat/completions', body, header)
      const { evidence } = (await response.json()) as { readonly evidence?: [] }
      expect(seen(evidence)).toEqual(judged as never)
      expect(response.headers.get('x-csp-evidence')).toMatch(/^found=1 partly=0 not-found=1 not-read=0 judge=haiku$/)
      expect(standIn.sandbox.stats().callsByKind.write).toBe(before + 2)
      const { body: call } = standIn.sandbox.requests().at(-1) ?? {}
      expect(call?.model).toContain('haiku')
      for (const part of ['<claims>', '<claim number=\\"2\\">', '15,000']) expect(JSON.stringify(call)).toContain(part)
    })

    test('a stream has the judgements in its end', async () => {
      const response = await post('/v1/chat/completions', { ...body, stream: true }, header)
      expect(seen(streamedEvidence(await response.text()))).toEqual(judged as never)
    })

    test('its receipt has them', async () => {
      const response = await post('/v1/chat/completions', body, header)
      const id = response.headers.get('x-csp-receipt')
      const receipt = (await (await fetch(`${csp.url}/v1/receipts/${id}`)).json()) as { readonly sentences: [] }
      expect(seen(receipt.sentences)).toEqual(judged as never)
    })

    test('claims are judged in the same way', async () => {
      const claims = [right, wrong].map((text) => ({ text }))
      const text = languages['en']?.page ?? ''
      const response = await post('/v1/verify', { claims, sources: [{ text }], judge: true })
      const { results } = (await response.json()) as { readonly results: [] }
      expect(seen(results)).toEqual(judged as never)
    })

    test('another word is refused before anything is searched', async () => {
      const before = standIn.sandbox.stats().calls
      const response = await post('/v1/chat/completions', body, { 'x-csp-evidence': 'jury' })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('x-csp-evidence')])
      expect(standIn.sandbox.stats().calls).toBe(before)
    })
  })

  test('have these verdicts in each language from the MCP tool ask_web', async () => {
    const verdicts = await ofAll(async (language) => {
      const params = { name: 'ask_web', arguments: { question: question(language) } }
      const response = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const [, json = '{}'] = /^data: (.*)$/m.exec(await response.clone().text()) ?? [undefined, await response.text()]
      const { result } = JSON.parse(json) as { readonly result?: { readonly structuredContent?: Evident } }
      return verdictsOf(result?.structuredContent?.evidence)
    })
    expect(verdicts).toEqual(inAll(expectedVerdicts))
  })
})

interface Evident {
  readonly evidence?: readonly { readonly verdict: string }[]
}

interface Candidate {
  readonly groundingMetadata?: { readonly groundingSupports?: readonly object[] }
}
