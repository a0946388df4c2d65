import { speak } from '../../speak.ts'
import { routesWithV1, type Vendor, withV1 } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

const search = speak(async () => (await import('./search.ts')).ollamaSearch)

export const ollama: Vendor = {
  name: 'ollama',
  title: 'Ollama web search',
  base: '',
  formatError: messageError,
  prefixes: withV1('/api'),
  routes: [
    ...routesWithV1('/api/web_search', { POST: search }),
    ...routesWithV1('/api/experimental/web_search', { POST: search }),
  ],
}
