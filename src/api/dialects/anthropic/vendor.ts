import { speak, withReferences } from '../../speak.ts'
import { type CreateHandler, routesWithV1, type Vendor } from '../../vendor.ts'
import { vertexBases } from '../shared/vertex.ts'
import { anthropicError } from './error.ts'

const messages = speak(async () => (await import('./messages.ts')).anthropicMessages)

const vertex = withReferences(
  async () => (await import('./vertex.ts')).vertexCalls(await loadMessages(), await loadCountTokens()),
  async () => {
    const summary = 'The same by the paths of Vertex AI; the model `count-tokens` estimates the tokens of a prompt'
    const path = { model: 'The model with `:rawPredict`, or with `:streamRawPredict` for a stream' }
    return (await messages.references()).map((reference) => ({ ...reference, summary, path }))
  },
)

export const anthropic: Vendor = {
  name: 'anthropic',
  title: 'Anthropic Messages',
  base: '',
  formatError: anthropicError,
  routes: [
    ...routesWithV1('/messages', { POST: withReferences(loadMessages, messages.references) }),
    ...vertexBases('anthropic').map((base) => ({ path: `${base}/models/:model{.+}`, methods: { POST: vertex } })),
    ...routesWithV1('/messages/count_tokens', {
      POST: withReferences(loadCountTokens, async () => [(await import('./count-tokens.ts')).countTokensReference]),
    }),
  ],
}

async function loadMessages(): Promise<CreateHandler> {
  const [{ anthropicMiddleware }, { gatewayFirst }, { serveUpstream }] = await loadGateway()
  return gatewayFirst(anthropicMiddleware(await messages()), serveUpstream)
}

async function loadCountTokens(): Promise<CreateHandler> {
  const [{ anthropicMiddleware }, { gatewayFirst }, { countUpstreamTokens }] = await loadGateway()
  return gatewayFirst(
    anthropicMiddleware((await import('./count-tokens.ts')).anthropicCountTokens),
    countUpstreamTokens,
  )
}

function loadGateway() {
  return Promise.all([
    import('./middleware.ts'),
    import('./gateway/gateway-first.ts'),
    import('./gateway/serve-upstream.ts'),
  ])
}
