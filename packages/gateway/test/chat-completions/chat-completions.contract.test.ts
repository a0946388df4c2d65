import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { type UpstreamBehaviour, upstreamContract } from '../contract/upstream.ts'
import { chunk, openAiError, type ProviderScript, saying, serveProvider } from '../support/strict-provider.ts'
import { providerKinds } from '../support/vendors.ts'

const scripts: Readonly<Record<UpstreamBehaviour, ProviderScript['reply']>> = {
  succeed: ({ messages }) => [...saying(`You said: ${JSON.stringify(messages.at(-1)?.content)}`)],
  hang: () => [chunk({ content: 'Well,' }), 'hang'],
  fail: () => {
    const response = openAiError(429, 'Rate limit reached.')
    response.headers.set('retry-after', '7')
    return response
  },
  break: () => [chunk({ content: 'Well,' })],
}

for (const kind of providerKinds) {
  upstreamContract(`A compatible provider of the kind ${kind}`, {
    factory: (behaviour) => {
      const server = serveProvider({ reply: scripts[behaviour] })
      return {
        upstream: chatUpstream({ name: kind, baseUrl: server.url, kind }),
        running: server.running,
        started: () => server.bodies.length,
        dispose: () => server[Symbol.asyncDispose](),
      }
    },
    failure: { status: 429, type: 'rate_limit_error', retryAfterSeconds: 7 },
  })
}
