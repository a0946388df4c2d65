import type { ErrorWords } from '../catalogue/error-within.ts'
import type { Refusal, Refused } from './adapting.ts'
import { refusesSchema, schemaFeature } from './request/output-format.ts'
import { effortFeature } from './request/thinking.ts'
import type { ProviderBody } from './wire.ts'

/** Reads from an error what a provider refuses beside parameters. */
export type RefusalParser<Body> = (error: ErrorWords, body: Body) => string | undefined

/**
 * The feature that a provider does not take, if its error names one: the name of a parameter of the body, or another
 * thing that can be left out. An error about a value is none of these: "max_tokens is too large" does not refuse
 * `max_tokens`.
 */
export function refusedFeature<Body extends ProviderBody>(
  { failure: { status }, words: error }: Refusal,
  body: Body,
  others: readonly RefusalParser<Body>[],
): string | undefined {
  if (!statuses.includes(status)) return undefined
  // A gateway between may give any status. One about keys or about reachability names no parameter.
  if ((status === 403 || status === 502) && !refuses(error)) return undefined
  // "Your organization must be verified to stream this model."
  if (error.param === 'stream' && body.stream && /^unsupported_/.test(error.code ?? '')) return 'stream'
  if (isAboutValue.test(error.message) && !noImages.test(error.message)) return undefined
  for (const read of others) {
    const feature = read(error, body)
    if (feature !== undefined) return feature
  }
  return refusedParameter(error, body)
}

const statuses: readonly number[] = [400, 403, 404, 415, 422, 500, 502]

const isAboutValue =
  /too (?:large|big|long|high|small|low|many)|at most|at least|exceed|maximum|minimum|above|below|between|(?:less|greater) than|out of range|must be|context (?:length|window|size)/i

/** What the catalogue says is refused, as far as a body has it; a keyword of a schema may be a parameter of the body. */
export function refusedByLine<Body extends ProviderBody>(
  { understood }: Refusal,
  body: Body,
  without: ReadonlySet<string>,
  has: Readonly<Record<string, (body: Body) => boolean>>,
): Refused | undefined {
  const feature = understood?.meaning === 'refuses' ? understood.feature : undefined
  if (feature === undefined) return undefined
  const [kind, keyword] = feature.split(':')
  if (kind === 'schema')
    return body['tools'] === undefined || (keyword && keyword in body) ? undefined : refusedSchema(feature, without)
  return feature === 'plain' || has[feature]?.(body) ? { feature, isOfModel: true } : undefined
}

/** One keyword after the other, then the plainest schemas. */
export function refusedSchema(feature: string, without: ReadonlySet<string>): Refused {
  const before = [...without].filter((name) => name.startsWith('schema:'))
  return { feature: without.has(feature) || before.length >= maxKeywords ? 'schema' : feature, isOfModel: true }
}

const maxKeywords = 3

/** What comes before all else: an error about a schema, or about a word for an effort, is one about a value. */
export function refusedValue(
  { failure: { status }, words: error }: Refusal,
  sent: { readonly effort: unknown; readonly hasSchema: boolean },
): Refused | undefined {
  if (!statuses.includes(status)) return undefined
  if (sent.hasSchema && refusesSchema(error)) return { feature: schemaFeature, isOfModel: refuses(error) }
  const isEffort = typeof sent.effort === 'string' && refusesEffort(error)
  return isEffort ? { feature: effortFeature(String(sent.effort)), isOfModel: true } : undefined
}

function refusesEffort({ message, param, code }: ErrorWords): boolean {
  const isAboutEffort = param
    ? /effort$/.test(param)
    : /effort|(?:reasoning|think) (?:value|is mandatory)/i.test(message)
  if (!isAboutEffort) return false
  return code === 'unsupported_value' || aboutOneWord.test(message)
}

const aboutOneWord =
  /(?:unsupported|invalid|unknown|supported|allowed|reasoning|think) values?\b|(?:be|of:?|expected) (?:one of|\W?(?:low|none|default|minimal)\b)|mandatory|cannot be disabled/i

/** Whether an error says that something is not taken at all. */
export function refuses({ message }: ErrorWords): boolean {
  return isExplicit.test(message)
}

const isExplicit =
  /unsupported|un(?:known|recogni[sz]ed|expected)|not (?:be )?(?:supported|permitted|allowed|available|enabled|accepted|recogni[sz]ed)|(?:does|do|is|are)(?: not|n[o']?t) (?:support|accept|allow|take|enabled|supported|one of)|cannot (?:accept|be used)|extra (?:inputs?|parameters?|fields?|arguments?)|only supported|invalid (?:request )?(?:parameter|argument|field|property|option|key)s?\b(?! value)|no endpoints found that support|multimodal/i

const noImages = /at most 0 image/i

/** Whether an error refuses images, in a request that has some. */
export function refusesImages(error: ErrorWords): boolean {
  const { message } = error
  return noImages.test(message) || (/image|vision|multimodal|mmproj/i.test(message) && refuses(error))
}

function refusedParameter(error: ErrorWords, body: ProviderBody): string | undefined {
  const { message, param } = error
  const names = Object.keys(body).filter((name) => !fixed.includes(name))
  const named = param && names.find((name) => param === name || param.startsWith(`${name}.`))
  if (named) return named
  if (!refuses(error)) return undefined
  const mentioned = names
    .map((name) => ({ name, place: placeOf(name, message) }))
    .filter(({ place }) => place >= 0)
    .toSorted((a, b) => a.place - b.place)
  return mentioned[0]?.name
}

/** Without these there is no request. */
const fixed: readonly string[] = ['model', 'messages', 'input', 'stream', 'tools']

/**
 * Where a message names a parameter, in its own spelling or as xAI's `reasoningEffort`. A name that is a common word counts
 * in quotes, and behind a colon at the end.
 */
function placeOf(name: string, message: string): number {
  const isCommonWord = name === 'stop' || name === 'usage' || name === 'reasoning'
  if (isCommonWord) return message.search(new RegExp(`["'\`]${name}["'\`.]|(?<=: )${name}\\.?$`))
  const spellings = `${name}|${name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}`
  return message.search(new RegExp(`(?<![\\w.-])(?:${spellings})(?![\\w-])`))
}
