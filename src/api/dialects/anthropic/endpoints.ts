import type { HandlerEndpoint } from '../../serve/endpoint.ts'
import { searchReference } from '../../serve/reference.ts'
import { serve } from '../../serve/serve-search.ts'
import { anthropicCountTokens, countTokensReference } from './count-tokens.ts'
import { gatewayFirst } from './gateway/gateway-first.ts'
import { countUpstreamTokens, serveUpstream } from './gateway/serve-upstream.ts'
import { anthropicMessages } from './messages.ts'
import { anthropicMiddleware } from './middleware.ts'
import { vertexCalls } from './vertex.ts'

const reference = searchReference(anthropicMessages)

export const messages: HandlerEndpoint = {
  kind: 'own',
  create: gatewayFirst(
    anthropicMiddleware((options) => serve(anthropicMessages, options)),
    serveUpstream,
  ),
  references: () => [reference],
}

export const countTokens: HandlerEndpoint = {
  kind: 'own',
  create: gatewayFirst(anthropicMiddleware(anthropicCountTokens), countUpstreamTokens),
  references: () => [countTokensReference],
}

export const vertex: HandlerEndpoint = {
  kind: 'own',
  create: vertexCalls(messages.create, countTokens.create),
  references: () => [
    {
      ...reference,
      summary: 'The same by the paths of Vertex AI; the model `count-tokens` estimates the tokens of a prompt',
      path: { model: 'The model with `:rawPredict`, or with `:streamRawPredict` for a stream' },
    },
  ],
}
