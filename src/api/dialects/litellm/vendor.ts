import { defineVendor, withV1 } from '../../vendor.ts'
import { openaiError } from '../shared/errors.ts'

export const litellm = defineVendor({
  name: 'litellm',
  title: 'LiteLLM search tool',
  base: '',
  formatError: openaiError,
  load: () => import('./search.ts'),
  routes: [[withV1('/search/:tool'), { POST: 'litellmSearch' }]],
})
