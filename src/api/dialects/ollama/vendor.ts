import { defineVendor, withV1 } from '../../vendor.ts'
import { messageError } from '../shared/errors.ts'

export const ollama = defineVendor({
  name: 'ollama',
  title: 'Ollama web search',
  base: '',
  formatError: messageError,
  prefixes: withV1('/api'),
  load: () => import('./search.ts'),
  routes: [[[...withV1('/api/web_search'), ...withV1('/api/experimental/web_search')], { POST: 'ollamaSearch' }]],
})
