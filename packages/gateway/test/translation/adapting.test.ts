import { describe, expect, test } from 'bun:test'
import { adapting } from '../../src/translation/adapting.ts'
import { LearnedCapabilities } from '../../src/translation/capabilities.ts'
import { ProviderReplyError } from '../../src/translation/provider-error.ts'

interface Sent {
  readonly limit: number
  readonly without: readonly string[]
}

type Said = { readonly status?: number; readonly message: string; readonly param?: string }

/** Calls an upstream that refuses a body with the next of these words, and takes one without. */
async function call(
  refuse: (sent: Sent, count: number) => Said | undefined,
  { capabilities = new LearnedCapabilities(), asked = 9999 as number | undefined, promptTokens = 100 } = {},
) {
  const sent: Sent[] = []
  const reply = adapting<Sent, string>({
    capabilities,
    place: 'http://a.example',
    model: 'm',
    body: ({ without, maxTokens }) => ({ limit: Math.min(asked ?? 1, maxTokens), without: [...without] }),
    asked: ({ limit }) => (asked === undefined ? undefined : limit),
    refused: () => undefined,
    async begin(body) {
      const said = refuse(body, sent.push(body))
      if (said) throw new ProviderReplyError({ status: said.status ?? 400, body: { error: said } })
      return 'reply'
    },
    promptTokens: () => promptTokens,
    signal: new AbortController().signal,
    note() {},
  })
  const outcome = await reply.catch((error: unknown) => error)
  return { outcome, limits: sent.map(({ limit }) => limit), sent }
}

const context = (prompt: string) =>
  `This model's maximum context length is 8,192 tokens. However, you requested more (${prompt}, 4096 in the completion).`

describe('a limit of tokens that an upstream tells', () => {
  test.each([
    ['max_tokens: at most 4,096 completion tokens', 4096],
    ['max_tokens must be less than or equal to `4096`', 4096],
    ['max_completion_tokens must be <= 4096', 4096],
    ['the range of max_tokens is [1, 4096]', 4096],
    ['max_output_tokens: 9999 > 4096, which is the maximum', 4096],
    ['max_tokens: at most 256', 256],
    ['max_tokens: at most 9998', 9998],
    [context('7000 in the messages'), 1192],
    [context('7936 in the messages'), 256],
  ])('is kept to: %s', async (message, limit) => {
    for (const status of [400, 422]) {
      expect((await call((_, count) => (count === 1 ? { status, message } : undefined))).limits).toEqual([9999, limit])
    }
  })

  test.each([
    // Hardly anything is left.
    context('7937 in the messages'),
    'max_tokens: at most 255',
    'max_tokens: at most 9999',
    "max_tokens: this model's maximum context length is 8192",
  ])('is none: %s', async (message) => {
    expect((await call(() => ({ message }))).limits).toEqual([9999])
    expect((await call(() => ({ message }), { asked: undefined })).limits).toHaveLength(1)
  })

  test('may stand beside its parameter', async () => {
    const said = { message: 'at most 4096', param: 'max_tokens' }
    expect((await call((_, count) => (count === 1 ? said : undefined))).limits).toEqual([9999, 4096])
  })

  test('is learned as the size of the context, of which the next prompt is taken off', async () => {
    const capabilities = new LearnedCapabilities()
    await call(({ limit }) => (limit > 1192 ? { message: context('7000 in the messages') } : undefined), {
      capabilities,
    })
    expect(await capabilities.refusedBy('http://a.example', 'm')).toEqual(['context>8192'])
    const next = (promptTokens: number) => call(() => undefined, { capabilities, promptTokens })
    expect((await next(6000)).limits).toEqual([1591])
    // An estimate that leaves hardly anything may be wrong: the upstream knows better.
    expect((await next(8000)).limits).toEqual([9999])
  })
})

describe('a refusal that does not say why', () => {
  const odd = { message: 'E42: no.' }

  test('gets one try in the plainest form, which is remembered for an hour', async () => {
    let ms = 0
    const capabilities = new LearnedCapabilities({ now: () => ms })
    const strict = ({ without }: Sent) => (without.includes('plain') ? undefined : odd)
    expect((await call(strict, { capabilities })).sent.map(({ without }) => without)).toEqual([[], ['plain']])
    ms = 3_600_000 - 1
    expect((await call(strict, { capabilities })).sent).toHaveLength(1)
    ms++
    expect((await call(strict, { capabilities })).sent).toHaveLength(2)
  })

  test('is told where the plainest form is refused too', async () => {
    const { outcome, sent } = await call((_, count) => ({ message: `E${count}` }))
    expect(outcome).toMatchObject({ failure: { body: { error: { message: 'E1' } } } })
    expect(sent).toHaveLength(2)
  })

  test.each([
    { ...odd, status: 500 },
    { ...odd, status: 403 },
    { ...odd, param: 'messages' },
    { message: 'Insufficient balance.' },
    { message: 'The context window is full.' },
  ])('is not this one: %j', async (said) => {
    expect((await call(() => said)).sent).toHaveLength(1)
  })
})
