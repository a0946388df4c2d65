import { nativeUpstream } from '../../src/native/native.ts'
import { upstreamContract } from '../contract/upstream.ts'
import { messagesServer } from '../support/messages-server.ts'

upstreamContract('an upstream that speaks the Messages API', {
  factory(behaviour) {
    const server = messagesServer(behaviour)
    return {
      upstream: nativeUpstream({ name: 'native', baseUrl: server.url }),
      running: () => server.running,
      started: () => server.requests.length,
      dispose: () => server.stop(),
    }
  },
  failure: { status: 429, type: 'rate_limit_error', retryAfterSeconds: 7 },
})

upstreamContract('an upstream that speaks the Messages API and does not stream', {
  factory(behaviour) {
    const server = messagesServer(behaviour, (body) => {
      if (behaviour !== 'succeed') return undefined
      const last = JSON.stringify(body['messages'])
      return Response.json({
        id: 'msg_whole',
        type: 'message',
        role: 'assistant',
        model: body['model'],
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'text', text: last },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'it' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 3, output_tokens: 5 },
      })
    })
    return {
      upstream: nativeUpstream({ name: 'native', baseUrl: `${server.url}/v1` }),
      running: () => server.running,
      started: () => server.requests.length,
      dispose: () => server.stop(),
    }
  },
  failure: { status: 429, type: 'rate_limit_error', retryAfterSeconds: 7 },
})
