import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { ownSignature } from '../own-signature.ts'
import type { ReasoningOrigin } from '../translation/wire.ts'
import type { Thought } from './request/options.ts'

/**
 * The signature of a thinking block: what the provider needs to get its thought back in the next turn. The block itself has
 * the words, so a detail that repeats them is kept without.
 */
export function signThought(thought: Thought, thinking: string, { baseUrl, model }: ReasoningOrigin): string {
  const kept =
    thought.field === 'reasoning_details' ? thought.details.map((detail) => withoutWords(detail, thinking)) : undefined
  const { field, calls } = thought
  // The caller may have asked for blocks without words.
  const words = thought.field !== 'reasoning_details' && thought.text !== thinking ? { text: thought.text } : {}
  const signed = { field, baseUrl, model, ...words, ...(kept && { details: kept }), ...(calls && { calls }) }
  return ownSignature + JSON.stringify(signed)
}

/** The thought that this model gave with the signature; `undefined` for one of another model or another signer. */
export function readSignature(signature: string, thinking: string, thinker: ReasoningOrigin): Thought | undefined {
  if (!signature.startsWith(ownSignature)) return undefined
  const signed = schema.safeParse(parseJson(signature.slice(ownSignature.length))).data
  if (signed?.baseUrl !== thinker.baseUrl || signed.model !== thinker.model) return undefined
  const { calls } = signed
  if (signed.field !== 'reasoning_details') return { field: signed.field, text: signed.text ?? thinking, calls }
  const details = (signed.details ?? []).map((detail) => withWords(detail, thinking))
  return { field: 'reasoning_details', details, calls }
}

const detailSchema = z.looseObject({})

const schema = z.object({
  field: z.enum(['reasoning', 'reasoning_content', 'reasoning_details']),
  baseUrl: z.string(),
  model: z.string(),
  text: z.string().optional(),
  details: z.array(detailSchema).optional(),
  calls: z.record(z.string(), z.unknown()).optional(),
})

/** `true` in place of the words. */
function withoutWords(detail: unknown, thinking: string): unknown {
  const fields = detailSchema.safeParse(detail).data
  if (!fields) return detail
  return mapWords(fields, (value) => (value === thinking ? true : value))
}

function withWords(detail: Readonly<Record<string, unknown>>, thinking: string): unknown {
  return mapWords(detail, (value) => (value === true ? thinking : value))
}

function mapWords(detail: Readonly<Record<string, unknown>>, map: (value: unknown) => unknown) {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [name, name === 'text' || name === 'summary' ? map(value) : value]),
  )
}
