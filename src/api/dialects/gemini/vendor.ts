import { defineVendor } from '../../vendor.ts'
import { expressBase, vertexBases } from '../shared/vertex.ts'
import { geminiError } from './error.ts'

/** Where clients look for `/models`, besides `/v1`: some add the version to their base URL, others expect it there. */
export const geminiBases = ['/v1beta', '/gemini/v1beta', '/gemini'] as const

const vertex = [...vertexBases('google'), expressBase]

export const gemini = defineVendor({
  name: 'gemini',
  title: 'Google Gemini',
  base: '',
  formatError: geminiError,
  prefixes: ['/v1beta', '/gemini', ...vertex],
  keyParameter: 'key',
  only: /(?::|%3a)(?:generateContent|streamGenerateContent|countTokens)\/?$/i,
  load: () => import('./calls.ts'),
  routes: [[[...geminiBases, '/v1', '', ...vertex].map((base) => `${base}/models/:id{.+}`), { POST: 'geminiCalls' }]],
})
