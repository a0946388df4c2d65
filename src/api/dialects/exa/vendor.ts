import { routesWithV1, speak, type Vendor, withV1 } from '../../vendor.ts'
import { exaError } from './error.ts'

export const exa: Vendor = {
  name: 'exa',
  formatError: exaError,
  prefixes: withV1('/exa'),
  routes: [
    ...routesWithV1('/exa/search', { POST: speak(async () => (await import('./search.ts')).exaSearch) }),
    ...routesWithV1('/exa/answer', { POST: speak(async () => (await import('./answer.ts')).exaAnswer) }),
  ],
}
