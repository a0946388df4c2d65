import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { ownSignature } from '../own-signature.ts'
import type { ReasoningOrigin } from '../translation/wire.ts'
import type { ReasoningItem } from './request/items.ts'

/** The parts of an item of reasoning beside its words. */
export interface Thought {
  readonly id: string
  readonly encrypted?: string | undefined
  /** Whether its words are the thought itself, not a summary. */
  readonly isRaw?: boolean | undefined
  /** The thought itself, where the block does not have it. */
  readonly words?: string | undefined
}

/** The signature of a thinking block: what the same model needs to get its thought back. The block itself has the words. */
export function signItem({ id, encrypted, isRaw, words }: Thought, { baseUrl, model }: ReasoningOrigin): string {
  const parts = { ...(encrypted && { encrypted }), ...(isRaw && { isRaw }), ...(words && { words }) }
  return ownSignature + JSON.stringify({ item: id, baseUrl, model, ...parts })
}

/** The item that this model gave with the signature; `undefined` for one of another model or another signer. */
export function readItem(signature: string, thinking: string, thinker: ReasoningOrigin): ReasoningItem | undefined {
  if (!signature.startsWith(ownSignature)) return undefined
  const signed = schema.safeParse(parseJson(signature.slice(ownSignature.length))).data
  if (signed?.baseUrl !== thinker.baseUrl || signed.model !== thinker.model) return undefined
  const { item: id, encrypted, isRaw, words: text = thinking } = signed
  const head = { type: 'reasoning', id } as const
  if (isRaw) {
    const content = [{ type: 'reasoning_text', text }] as const
    return { ...head, summary: [], content, ...(encrypted && { encrypted_content: encrypted }) }
  }
  // Nothing is stored at OpenAI: without the encrypted content there is nothing to find there.
  if (!encrypted) return undefined
  const summary = thinking === '' ? [] : [{ type: 'summary_text', text: thinking } as const]
  return { ...head, summary, encrypted_content: encrypted }
}

const schema = z.object({
  item: z.string(),
  baseUrl: z.string(),
  model: z.string(),
  encrypted: z.string().optional(),
  isRaw: z.boolean().optional(),
  words: z.string().optional(),
})
