import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { PageError } from '@csp/page-reader/page-error'
import Perplexity from '@perplexity-ai/perplexity_ai'
import OpenAI from 'openai'
import { languages } from '../../packages/evidence/test/languages.ts'
import { createStack } from '../../src/executor/layers/stack.ts'
import { citedAnswer, expectedVerdicts, pageUrl } from '../support/cited-answer.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { scriptedExecutor } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

// Vendors' own libraries read replies with evidence in them, whole and streamed.

const reader = fakePageReader({
  [pageUrl('de')]: languages['de']?.page ?? '',
  [pageUrl('walled')]: new PageError('blocked-by-status', 'The site answered 403.'),
})
const executor = createStack([scriptedExecutor(citedAnswer('de'))], {
  excerpts: { reader, source: 'pages' },
  evidence: {},
})
const app = testApp(Object.assign(executor, { requests: [] }) as never, { pages: reader })
const fetch = async (input: string | URL | Request, init?: RequestInit) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input)
  return app.request(pathname + search, init)
}
const options = { apiKey: 'none', fetch, maxRetries: 0 }
const messages = [{ role: 'user' as const, content: 'what was asked' }]

/** The verdicts in a reply of a library, which does not know them. */
function verdictsIn(reply: unknown): readonly string[] {
  const { evidence = [] } = reply as { readonly evidence?: readonly { readonly verdict: string }[] }
  return evidence.map(({ verdict }) => verdict)
}

describe('a library reads evidence and all else:', () => {
  const openai = new OpenAI({ ...options, baseURL: 'http://127.0.0.1/v1' })

  test('OpenAI, chat completions', async () => {
    const whole = await openai.chat.completions.create({ model: 'sonnet', messages })
    expect(verdictsIn(whole)).toEqual(expectedVerdicts)
    const stream = await openai.chat.completions.create({ model: 'sonnet', messages, stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content ?? '',
    )
    expect(chunks.flatMap(verdictsIn)).toEqual(expectedVerdicts)
  })

  test('OpenAI, responses', async () => {
    const asked = { model: 'sonnet', input: 'what was asked', tools: [{ type: 'web_search' as const }] }
    const whole = await openai.responses.create(asked)
    expect(whole.output_text).toContain('[1]')
    expect(verdictsIn(whole)).toEqual(expectedVerdicts)
    const final = await openai.responses.stream(asked).finalResponse()
    expect(final.output_text).toBe(whole.output_text)
    expect(verdictsIn(final)).toEqual(expectedVerdicts)
  })

  test('Anthropic, messages', async () => {
    const anthropic = new Anthropic({ ...options, baseURL: 'http://127.0.0.1' })
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
    const asked = { model: 'claude-sonnet-4-5', max_tokens: 500, messages, tools }
    const whole = await anthropic.messages.create(asked)
    expect(verdictsIn(whole)).toEqual(expectedVerdicts)
    const final = await anthropic.messages.stream(asked).finalMessage()
    const textOf = ({ content }: Anthropic.Message) =>
      content.map((one) => (one.type === 'text' ? one.text : '')).join('')
    expect(textOf(final)).toBe(textOf(whole))
    expect(final.stop_reason).toBe('end_turn')
  })

  test('Perplexity, chat completions', async () => {
    const perplexity = new Perplexity({ ...options, baseURL: 'http://127.0.0.1' })
    const whole = await perplexity.chat.completions.create({ model: 'sonar-pro', messages })
    expect(verdictsIn(whole)).toEqual(expectedVerdicts)
    const stream = await perplexity.chat.completions.create({ model: 'sonar-pro', messages, stream: true })
    expect((await Array.fromAsync(stream)).flatMap(verdictsIn)).toEqual(expectedVerdicts)
  })
})
