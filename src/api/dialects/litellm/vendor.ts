import { speak } from '../../speak.ts'
import { routesWithV1, type Vendor } from '../../vendor.ts'
import { openaiError } from '../shared/errors.ts'

export const litellm: Vendor = {
  name: 'litellm',
  title: 'LiteLLM search tool',
  base: '',
  formatError: openaiError,
  routes: routesWithV1('/search/:tool', { POST: speak(async () => (await import('./search.ts')).litellmSearch) }),
}
