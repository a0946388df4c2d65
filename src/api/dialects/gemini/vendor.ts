import { withReferences } from '../../speak.ts'
import type { Vendor } from '../../vendor.ts'
import { expressBase, vertexBases } from '../shared/vertex.ts'
import { geminiError } from './error.ts'

const calls = withReferences(
  async () => (await import('./calls.ts')).geminiCalls,
  async () => (await import('./calls.ts')).callReferences,
)

/** Where clients look for `/models`, besides `/v1`: some add the version to their base URL, others expect it there. */
export const geminiBases = ['/v1beta', '/gemini/v1beta', '/gemini'] as const

const vertex = [...vertexBases('google'), expressBase]

export const gemini: Vendor = {
  name: 'gemini',
  title: 'Google Gemini',
  base: '',
  formatError: geminiError,
  prefixes: ['/v1beta', '/gemini', ...vertex],
  keyParameter: 'key',
  routes: [...geminiBases, '/v1', '', ...vertex].map((base) => ({
    path: `${base}/models/:id{.+}`,
    only: /(?::|%3a)(?:generateContent|streamGenerateContent|countTokens)\/?$/i,
    methods: { POST: calls },
  })),
}
