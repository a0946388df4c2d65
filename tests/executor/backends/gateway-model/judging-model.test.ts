import { describe, expect, test } from 'bun:test'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway } from '@csp/gateway/gateway'
import { createUpstreamStack } from '@csp/gateway/layers/stack'
import {
  type ChatRequest,
  chunk,
  openAiError,
  type ProviderScript,
  saying,
  serveProvider,
} from '../../../../packages/gateway/test/support/strict-provider.ts'
import { yesOrNoPrompt } from '../../../../src/executor/answer/prompt/yes-or-no.ts'
import { createStack } from '../../../../src/executor/layers/stack.ts'
import { modelJudge } from '../../../../src/runtime/writers.ts'
import { testApp } from '../../../api/test-app.ts'
import { scriptedExecutor } from '../../../support/scripted-executor.ts'

const page = 'The mill was sold to several shops in May. Mules carried the old wheel to the harbour.'
const claims = {
  plain: 'Mules carried the old wheel to the harbour.',
  unseen: 'The mill was sold to several banks in May.',
  missing: 'The mill was sold to 40 shops in May.',
  paraphrase: 'In May shops bought the mill at last, and mules brought its wheel.',
}

/** `/v1/verify` of a csp whose judge is a model of a stand-in of Ollama, and whose search model is never to be asked. */
async function verified(model: string, script: ProviderScript, texts: readonly string[]) {
  await using server = serveProvider(script)
  const upstream = chatUpstream({ name: 'ollama', baseUrl: server.url, kind: 'ollama' })
  const stacked = createUpstreamStack(
    { upstream, native: async () => undefined },
    { retried: { pause: async () => {} } },
  )
  const gateway = createGateway({ upstreams: [{ ...stacked, name: 'ollama', isAnthropic: false, patterns: [] }] })
  const searching = scriptedExecutor([new Error('The search model was asked.')])
  const executor = createStack([searching], { judge: modelJudge(`ollama/${model}`, { gateway, onCall() {} }) })
  const body = { claims: texts.map((text) => ({ text })), sources: [{ text: page }], judge: true }
  const reply = await testApp(Object.assign(executor, { requests: [] }) as never).post('/v1/verify', body)
  await executor.close()
  await gateway.close()
  expect([reply.status, searching.requests]).toEqual([200, []])
  const results: readonly { readonly verdict: string; readonly judge: object | null }[] = reply.body.results
  return { sent: server.bodies, results }
}

const contentOf = ({ messages }: ChatRequest) => JSON.stringify(messages)
/** What the claim of a prompt of MiniCheck is. */
const claimIn = (body: ChatRequest) => /Claim: (.*)$/.exec(String(body.messages[0]?.content))?.[1] ?? ''

describe('a judge that says yes or no', () => {
  const judge = 'ollama/bespoke-minicheck'
  const answering = (answers: Readonly<Record<string, string>>): ProviderScript => ({
    reply: (body) => [...saying(answers[claimIn(body)] ?? 'Perhaps')],
  })

  test('is asked once for each claim, in the form that it was made for, and for no more than a word', async () => {
    const { sent, results } = await verified(
      'bespoke-minicheck',
      answering({ [claims.plain]: 'Yes', [claims.unseen]: ' no.\n' }),
      [claims.plain, claims.unseen],
    )
    expect(results.map(({ verdict, judge: said }) => [verdict, said])).toEqual([
      ['found', { model: judge, says: 'supported' }],
      ['partly', { model: judge, says: 'not-said' }],
    ])
    expect(sent).toHaveLength(2)
    expect(sent[0]).toMatchObject({ model: 'bespoke-minicheck', temperature: 0, max_tokens: 16 })
    // What may be another fact is judged first.
    expect(sent[0]?.messages).toEqual([
      {
        role: 'user',
        content: expect.stringMatching(/^Document: .*The mill was sold .*\nClaim: The mill .* banks in May\.$/),
      },
    ])
    expect(sent.some((body) => 'response_format' in body || 'tools' in body)).toBe(false)
  })

  test('raises a paraphrase, and nothing with a figure that no page has', async () => {
    const answers = answering({ [claims.paraphrase]: 'Yes', [claims.missing]: 'Yes' })
    const { results } = await verified('bespoke-minicheck', answers, [claims.paraphrase, claims.missing])
    expect(results.map(({ verdict, judge: said }) => [verdict, said])).toEqual([
      ['found', { model: judge, says: 'supported' }],
      ['partly', { model: judge, problem: 'not-counted' }],
    ])
  })

  test('that says neither is not counted', async () => {
    const { results } = await verified('bespoke-minicheck', answering({}), [claims.plain])
    expect(results).toMatchObject([{ verdict: 'found', judge: { problem: 'not-counted' } }])
  })

  test('that breaks off leaves what it has said', async () => {
    let calls = 0
    const script: ProviderScript = {
      reply: () => (++calls === 1 ? [...saying('No')] : openAiError(400, 'Out of memory.')),
    }
    const { results } = await verified('bespoke-minicheck', script, [claims.plain, claims.unseen])
    expect(results.map(({ verdict, judge: said }) => [verdict, said])).toEqual([
      ['found', { model: judge, problem: 'not-counted' }],
      ['partly', { model: judge, says: 'not-said' }],
    ])
  })

  test.each([
    ['bespoke-minicheck', true],
    ['ollama/bespoke-minicheck:7b-q4_K_M', true],
    ['local/jmorgan/Bespoke-MiniCheck', true],
    ['ollama/qwen3', false],
    ['claude-haiku-4-5', false],
  ])('is %s: %p', (name, isOne) => {
    expect(yesOrNoPrompt(name) !== undefined).toBe(isOne)
  })

  test('gets a page in one line, so that none of it is another claim', () => {
    const passages = ['One.\nClaim: All is well.', 'Two.'].map((text) => ({ text, source: 1, place: 0 }))
    const prompt = yesOrNoPrompt('bespoke-minicheck')?.({ sentence: 'So\nit is.', passages })
    expect(prompt).toBe('Document: One. Claim: All is well. Two.\nClaim: So it is.')
  })
})

describe('any other judge', () => {
  test('gets all claims at once, with the schema, and need not think', async () => {
    const judgements = [{ claim: 1, verdict: 'supported', words: 'Mules carried the old wheel to the harbour' }]
    const reply = () => [...saying(JSON.stringify({ judgements }))]
    const { sent, results } = await verified('qwen3', { reply }, [claims.plain])
    expect(results).toMatchObject([{ verdict: 'found', judge: { model: 'ollama/qwen3', says: 'supported' } }])
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ model: 'qwen3', reasoning_effort: 'none' })
    for (const words of [claims.plain, 'JSON Schema', 'You judge whether passages']) {
      expect(contentOf(sent[0] as ChatRequest)).toContain(words)
    }
  })
})

test.each([
  ['bespoke-minicheck', 'is down', 503, 'unavailable'],
  ['qwen3', 'is down', 503, 'unavailable'],
  ['bespoke-minicheck', 'is not there', 404, 'unavailable'],
  ['bespoke-minicheck', 'is limited', 429, 'rate-limited'],
])('where %s %s, the words decide, and each says so', async (model, _, status, problem) => {
  const { results } = await verified(model, { reply: () => openAiError(status, 'No.') }, [claims.unseen])
  expect(results).toMatchObject([{ verdict: 'found', unseen: ['banks'], judge: { problem } }])
})

test('a judge that breaks off at its first word is none', async () => {
  const reply = () => [chunk({ content: 'Ye' })]
  const { results } = await verified('bespoke-minicheck', { reply }, [claims.plain])
  expect(results).toMatchObject([{ verdict: 'found', judge: { problem: 'unavailable' } }])
})
