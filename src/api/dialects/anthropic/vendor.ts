import { routesWithV1, speak, type Vendor } from '../../vendor.ts'
import { anthropicError } from './error.ts'

export const anthropic: Vendor = {
  name: 'anthropic',
  formatError: anthropicError,
  routes: [
    ...routesWithV1('/messages', {
      async POST() {
        const [{ anthropicMiddleware }, { gatewayFirst }, { serveUpstream }] = await Promise.all([
          import('./middleware.ts'),
          import('./gateway/gateway-first.ts'),
          import('./gateway/serve-upstream.ts'),
        ])
        const own = anthropicMiddleware(await speak(async () => (await import('./messages.ts')).anthropicMessages)())
        return gatewayFirst(own, serveUpstream)
      },
    }),
    ...routesWithV1('/messages/count_tokens', {
      async POST() {
        const [{ anthropicMiddleware }, { gatewayFirst }, { countUpstreamTokens }] = await Promise.all([
          import('./middleware.ts'),
          import('./gateway/gateway-first.ts'),
          import('./gateway/serve-upstream.ts'),
        ])
        const own = anthropicMiddleware((await import('./count-tokens.ts')).anthropicCountTokens)
        return gatewayFirst(own, countUpstreamTokens)
      },
    }),
  ],
}
