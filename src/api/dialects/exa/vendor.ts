import { speak, speakPages } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { exaError } from './error.ts'

export const exa: Vendor = {
  name: 'exa',
  title: 'Exa',
  base: '/exa',
  formatError: exaError,
  prefixes: withV1('/exa'),
  routes: [
    ...routesWithV1('/exa/search', { POST: speak(async () => (await import('./search.ts')).exaSearch) }),
    ...routesWithV1('/exa/findSimilar', {
      POST: speak(async () => (await import('./find-similar.ts')).exaFindSimilar),
    }),
    ...routesWithV1('/exa/answer', { POST: speak(async () => (await import('./answer.ts')).exaAnswer) }),
  ],
  pageRoutes: routesWithV1('/exa/contents', {
    POST: speakPages(async () => (await import('./contents.ts')).exaContents),
  }),
}
