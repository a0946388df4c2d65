import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { type MessagesRequest, messagesRequest } from '@csp/messages-api/request'
import { summarise } from './statistics.ts'

/**
 * Measures what the gateway's translation costs, without a network: a request of Claude Code from its bytes to the provider's
 * call, and a chunk of the reply from its bytes to the events.
 */
const encoder = new TextEncoder()

function frame(delta: object, finish_reason: string | null = null): Uint8Array {
  const chunk = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  }
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
}

function reply(frames: readonly Uint8Array[]): Response {
  const rest = frames.values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = rest.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** A conversation after so many turns, each with a call of a tool and its result. */
function conversation(turns: number): MessagesRequest {
  const messages: MessagesRequest['messages'] = [{ role: 'user', content: 'Mend the tests.' }]
  for (let turn = 0; turn < turns; turn++) {
    const id = `toolu_${turn}`
    const call = { type: 'tool_use', id, name: 'tool_1', input: { command: 'b'.repeat(200) } }
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 'a'.repeat(500) }, call] })
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r'.repeat(3000) }] })
  }
  const input_schema = { type: 'object', properties: { command: { type: 'string' } } }
  const tools = Array.from({ length: 30 }, (_, index) => ({
    name: `tool_${index}`,
    description: 'd'.repeat(2000),
    input_schema,
  }))
  return { model: 'm', max_tokens: 32_000, system: [{ type: 'text', text: 's'.repeat(20_000) }], tools, messages }
}

async function milliseconds(rounds: number, request: MessagesRequest, frames: readonly Uint8Array[]): Promise<number> {
  const sent = JSON.stringify(request)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    let spent = 0
    const fetch = async () => reply(frames)
    const upstream = chatUpstream({ name: 'bench', baseUrl: 'http://provider.example', fetch })
    const startedAt = performance.now()
    const parsed = messagesRequest.parse(JSON.parse(sent))
    for await (const event of upstream.send(parsed, { signal: new AbortController().signal }))
      spent += event.type.length
    times.push(spent > 0 ? performance.now() - startedAt : Number.NaN)
  }
  return summarise(times).median
}

const line = (name: string, ms: number) => process.stdout.write(`${name.padEnd(40)} ${ms.toFixed(4)} ms\n`)
const end = frame({}, 'stop')
const short = await milliseconds(400, conversation(0), [frame({ content: 'Hi.' }), end])
for (const turns of [0, 20, 100]) {
  const request = conversation(turns)
  const size = Math.round(JSON.stringify(request).length / 1000)
  line(`a request of ${turns} turns, ${size} kB`, await milliseconds(200, request, [frame({ content: 'Hi.' }), end]))
}
const chunks = 5000
const words = Array.from({ length: chunks }, (_, index) => frame({ content: ` word${index}` }))
line('a chunk of text', ((await milliseconds(30, conversation(0), [...words, end])) - short) / chunks)
const call = { index: 0, id: 'call_1', function: { name: 'tool_1', arguments: '{"command":"' } }
const letters = words.map(() => frame({ tool_calls: [{ index: 0, function: { arguments: 'word ' } }] }))
const toolReply = [frame({ tool_calls: [call] }), ...letters, end]
line('a chunk of arguments', ((await milliseconds(30, conversation(0), toolReply)) - short) / chunks)
