import { defineVendor, withV1 } from '../../vendor.ts'
import { vertexBases } from '../shared/vertex.ts'
import { anthropicError } from './error.ts'

export const anthropic = defineVendor({
  name: 'anthropic',
  title: 'Anthropic Messages',
  base: '',
  formatError: anthropicError,
  load: () => import('./endpoints.ts'),
  routes: [
    [withV1('/messages'), { POST: 'messages' }],
    [vertexBases('anthropic').map((base) => `${base}/models/:model{.+}`), { POST: 'vertex' }],
    [withV1('/messages/count_tokens'), { POST: 'countTokens' }],
  ],
})
