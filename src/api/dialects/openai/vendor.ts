import { speak, type Vendor } from '../../vendor.ts'
import { openaiError } from '../shared/errors.ts'

export const openai: Vendor = {
  name: 'openai',
  title: 'OpenAI',
  base: '/v1',
  formatError: openaiError,
  prefixes: ['/v1'],
  routes: [
    { path: '/v1/chat/completions', methods: { POST: speak(async () => (await import('./chat.ts')).openaiChat) } },
  ],
}

/** For `/responses`, which `shared-routes.ts` divides between OpenAI and Perplexity. */
export const loadOpenaiResponses = speak(async () => (await import('./responses.ts')).createOpenaiResponses())
