import { isObject } from '@csp/lib/json'
import type { ErrorWords } from '../catalogue/error-within.ts'
import type { Refusal, Refused } from '../translation/adapting.ts'
import { refusedByLine, refusedFeature, refusedValue, refuses, refusesImages } from '../translation/refusal.ts'
import type { Refusable, ResponsesBody } from './request/body.ts'

/** The feature that a provider of the Responses API does not take, if its error names one. */
export function refusedByResponses(
  refusal: Refusal,
  body: ResponsesBody,
  without: ReadonlySet<string>,
): Refused | undefined {
  const { words: error } = refusal
  // They belong to another organisation's key, or are older than what was kept there: the next conversation may have none of them.
  if (refusesThoughts(refusal, body)) return { feature: 'earlier-thoughts', isOfModel: false }
  const told = refusedByLine(refusal, body, without, {})
  if (told) return told
  const effort = isObject(body['reasoning']) ? body['reasoning']['effort'] : undefined
  const value = refusedValue(refusal, { effort, hasSchema: body['text'] !== undefined })
  if (value) return value
  const feature = refusedReasoning(error, body) ?? refusedFeature(refusal, body, [refusedImages])
  return feature === undefined ? undefined : { feature, isOfModel: true }
}

function refusesThoughts({ failure: { status }, words }: Refusal, { input }: ResponsesBody): boolean {
  const { message, code } = words
  if ((status !== 400 && status !== 404) || !input.some(({ type }) => type === 'reasoning')) return false
  return code === 'invalid_encrypted_content' || /encrypted content|'rs_\w+'|type 'reasoning'/i.test(message)
}

/** A model may take a part of `reasoning` only; summaries are for organisations that OpenAI has verified. */
function refusedReasoning(error: ErrorWords, body: ResponsesBody): Refusable | undefined {
  const { reasoning } = body
  const part = parts.find((name) => error.param === name)
  if (!part || !isObject(reasoning)) return undefined
  const isRefused = /^unsupported_/.test(error.code ?? '') || refuses(error)
  return isRefused && part.slice('reasoning.'.length) in reasoning ? part : undefined
}

const parts = ['reasoning.effort', 'reasoning.summary'] as const

function refusedImages(error: ErrorWords, { input }: ResponsesBody): Refusable | undefined {
  if (!refusesImages(error)) return undefined
  return JSON.stringify(input).includes('"type":"input_image"') ? 'images' : undefined
}
