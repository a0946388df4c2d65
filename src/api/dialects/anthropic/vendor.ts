import { routesWithV1, speak, type Vendor } from '../../vendor.ts'
import { anthropicError } from './error.ts'

export const anthropic: Vendor = {
  name: 'anthropic',
  formatError: anthropicError,
  routes: [
    ...routesWithV1('/messages', {
      POST: async () => {
        const { anthropicMiddleware } = await import('./middleware.ts')
        return anthropicMiddleware(await speak(async () => (await import('./messages.ts')).anthropicMessages)())
      },
    }),
    ...routesWithV1('/messages/count_tokens', {
      POST: async () => {
        const { anthropicMiddleware } = await import('./middleware.ts')
        return anthropicMiddleware((await import('./count-tokens.ts')).anthropicCountTokens)
      },
    }),
  ],
}
