import { z } from 'zod'
import { eventsOf, type ModelTurn, sealed, stateIn } from './responses-events.ts'
import { openAiError, type Piece, streamed } from './strict-provider.ts'

export interface ResponsesScript {
  /** What is refused beside what every request is checked for. */
  readonly refuse?: ((body: Record<string, unknown>) => Response | undefined) | undefined
  readonly reply?: ((body: SentBody) => ModelTurn | readonly Piece[] | Response) | undefined
  readonly key?: string | undefined
}

export interface StrictResponses {
  /** With `/v1`. */
  readonly url: string
  readonly bodies: SentBody[]
  running(): number
  [Symbol.asyncDispose](): Promise<void>
}

/** OpenAI's Responses API, as strict as it is: it stores nothing, checks every item, and streams its own events. */
export function serveResponses({
  refuse,
  reply = () => ({ text: 'Hello.' }),
  key,
}: ResponsesScript = {}): StrictResponses {
  const bodies: SentBody[] = []
  let running = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (key && request.headers.get('authorization') !== `Bearer ${key}`) {
        return openAiError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
      }
      if (pathname === '/v1/responses/input_tokens') {
        return Response.json({ object: 'response.input_tokens', input_tokens: (await request.text()).length })
      }
      if (pathname !== '/v1/responses') return openAiError(404, `Invalid URL (POST ${pathname})`)
      const raw = z.record(z.string(), z.unknown()).parse(await request.json())
      // As it came, so that tests see what was sent.
      bodies.push(raw as SentBody)
      const refused = refuse?.(raw) ?? unknownParameter(raw)
      if (refused) return refused
      const parsed = sentBody.safeParse(raw)
      if (!parsed.success) return openAiError(400, `Invalid body: ${z.prettifyError(parsed.error)}`)
      const wrong = wrongItems(parsed.data) ?? wrongTools(parsed.data)
      if (wrong) return wrong
      const answer = reply(parsed.data)
      if (answer instanceof Response) return answer
      const pieces = Array.isArray(answer) ? answer : [...eventsOf(answer as ModelTurn)]
      if (!parsed.data.stream) return Response.json(stateIn(pieces))
      running++
      return streamed(pieces, request.signal, () => running--)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    bodies,
    running: () => running,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({ type: z.literal('input_image'), image_url: z.string().regex(/^(?:https?:|data:image\/)/) }),
  z.strictObject({ type: z.literal('input_file'), filename: z.string(), file_data: z.string().startsWith('data:') }),
])
const name = z.string().regex(/^[\w-]{1,64}$/)
const call_id = z.string().min(1).max(64)
const summary = z.strictObject({ type: z.literal('summary_text'), text: z.string() })

/** No field that OpenAI does not know: `cache_control` and its like must not leak. */
const item = z.union([
  z.strictObject({ type: z.literal('message'), role: z.literal('user'), content: z.array(inputPart).min(1) }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.array(z.strictObject({ type: z.literal('output_text'), text: z.string().min(1) })).min(1),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().startsWith('rs_'),
    summary: z.array(summary),
    encrypted_content: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id,
    name,
    arguments: z.string().refine((json) => typeof JSON.parse(json) === 'object'),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id,
    output: z.union([z.string(), z.array(inputPart).min(1)]),
  }),
])

const tool = z.strictObject({
  type: z.literal('function'),
  name,
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()) }),
  // OpenAI's default is strict, and few schemas of clients fit that.
  strict: z.literal(false),
})

const sentBody = z.strictObject({
  text: z
    .strictObject({
      format: z.strictObject({
        type: z.literal('json_schema'),
        name: z.string().regex(/^[\w-]{1,64}$/),
        schema: z.record(z.string(), z.unknown()),
        strict: z.boolean(),
      }),
    })
    .optional(),
  model: z.string(),
  input: z.array(item).min(1),
  instructions: z.string().optional(),
  stream: z.boolean(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean() }).optional(),
  store: z.literal(false),
  include: z.array(z.literal('reasoning.encrypted_content')).optional(),
  max_output_tokens: z.int().min(16, 'integer below minimum value').optional(),
  temperature: z.number().max(2).optional(),
  top_p: z.number().optional(),
  reasoning: z
    .strictObject({ effort: z.enum(['minimal', 'low', 'medium', 'high']), summary: z.literal('auto') })
    .partial()
    .optional(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.strictObject({ type: z.literal('function'), name })])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  prompt_cache_key: z.string().max(64).optional(),
})

export type SentBody = z.infer<typeof sentBody>

function unknownParameter(raw: Record<string, unknown>): Response | undefined {
  const param = Object.keys(raw).find((field) => !(field in sentBody.shape))
  return param ? openAiError(400, `Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' }) : undefined
}

/** Each call has its output behind it, each output its call, and each thought what it led to. */
function wrongItems({ input, stream_options, stream }: SentBody): Response | undefined {
  if (stream_options && !stream)
    return openAiError(400, "The 'stream_options' parameter is only allowed with 'stream'.")
  const calls = new Set<string>()
  const outputs = new Set(input.flatMap((each) => (each.type === 'function_call_output' ? [each.call_id] : [])))
  for (const [index, each] of input.entries()) {
    if (each.type === 'function_call') {
      if (!outputs.has(each.call_id)) return openAiError(400, `No tool output found for function call ${each.call_id}.`)
      calls.add(each.call_id)
    } else if (each.type === 'function_call_output') {
      if (!calls.delete(each.call_id))
        return openAiError(400, `No tool call found for function call output with call_id ${each.call_id}.`)
    } else if (each.type === 'reasoning') {
      const wrong = wrongThought(each, input.slice(index + 1))
      if (wrong) return wrong
    } else if (each.role === 'user' && calls.size > 0)
      return openAiError(400, 'No tool output found for function call.')
  }
  return undefined
}

function wrongThought(
  { id, encrypted_content }: Extract<SentBody['input'][number], { type: 'reasoning' }>,
  after: SentBody['input'],
): Response | undefined {
  if (encrypted_content === undefined) {
    return openAiError(404, `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`)
  }
  if (encrypted_content !== sealed(id)) {
    const message = `The encrypted content ${encrypted_content.slice(0, 4)}... could not be verified.`
    return openAiError(400, message, { code: 'invalid_encrypted_content' })
  }
  const next = after.find(({ type }) => type !== 'reasoning')
  const isFollowed = next?.type === 'function_call' || (next?.type === 'message' && next.role === 'assistant')
  if (isFollowed) return undefined
  return openAiError(400, `Item '${id}' of type 'reasoning' was provided without its required following item.`)
}

function wrongTools({ tools, tool_choice }: SentBody): Response | undefined {
  if (!tools && tool_choice) return openAiError(400, 'Tool choice is only allowed when specifying tools.')
  if (typeof tool_choice !== 'object' || tools?.some((each) => each.name === tool_choice.name)) return undefined
  return openAiError(400, `Tool choice 'function' not found in 'tools' parameter.`, { param: 'tool_choice' })
}
