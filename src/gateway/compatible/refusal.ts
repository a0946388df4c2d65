import { type ProviderFailure, type ProviderMessage, readProviderError } from './provider-error.ts'
import type { ChatBody, Refusable } from './request/body.ts'

/**
 * What a provider refuses to take at all, if its error says that: the name of a parameter of the body, or another thing that
 * can be left out. An error about a value is none of these: "max_tokens is too large" does not refuse `max_tokens`.
 */
export function refusedFeature({ status, body: said }: ProviderFailure, body: ChatBody): string | undefined {
  if (!statuses.includes(status)) return undefined
  const error = readProviderError(said)
  if (isAboutValue.test(error.message) && !noImages.test(error.message)) return undefined
  return (
    refusedRole(error, body) ??
    refusedImages(error, body) ??
    refusedThoughts(error, body) ??
    refusedParameter(error, body)
  )
}

const statuses: readonly number[] = [400, 404, 415, 422, 500]

const isAboutValue =
  /too (?:large|big|long|high|small|low|many)|at most|at least|exceed|maximum|minimum|above|below|between|(?:less|greater) than|out of range|must be|context (?:length|window|size)/i

const isExplicit =
  /unsupported|un(?:known|recogni[sz]ed|expected)|not (?:be )?(?:supported|permitted|allowed|available|enabled|accepted|recogni[sz]ed)|(?:does|do|is|are)(?: not|n[o']?t) (?:support|accept|allow|take|enabled|supported|one of)|cannot (?:accept|be used)|extra (?:inputs?|parameters?|fields?|arguments?)|only supported|no endpoints found that support|multimodal/i

const noImages = /at most 0 image/i

function refusedParameter({ message, param }: ProviderMessage, body: ChatBody): string | undefined {
  const names = Object.keys(body).filter((name) => !fixed.includes(name))
  const named = param && names.find((name) => param === name || param.startsWith(`${name}.`))
  if (named) return named
  if (!isExplicit.test(message)) return undefined
  const mentioned = names
    .map((name) => ({ name, place: placeOf(name, message) }))
    .filter(({ place }) => place >= 0)
    .toSorted((a, b) => a.place - b.place)
  return mentioned[0]?.name
}

/** Without these there is no request. */
const fixed: readonly string[] = ['model', 'messages', 'stream', 'tools']

/** Where a message names a parameter. A name that is a common word counts in quotes only. */
function placeOf(name: string, message: string): number {
  const isCommonWord = name === 'stop' || name === 'usage' || name === 'reasoning'
  return message.search(isCommonWord ? new RegExp(`["'\`]${name}["'\`.]`) : new RegExp(`(?<![\\w.-])${name}(?![\\w-])`))
}

function refusedRole({ message, param }: ProviderMessage, { messages }: ChatBody): Refusable | undefined {
  const isAboutRole = /\broles?\b|instruction/i.test(`${message} ${param ?? ''}`)
  if (!isAboutRole || !isExplicit.test(message)) return undefined
  const role = /\b(system|developer|tool)\b/i.exec(message)?.[1]?.toLowerCase()
  const has = (wanted: string): boolean => messages.some((each) => each.role === wanted)
  if (role === 'tool') return has('tool') ? 'tool-role' : undefined
  return role && has('system') ? 'system-role' : undefined
}

function refusedImages({ message }: ProviderMessage, { messages }: ChatBody): Refusable | undefined {
  const isRefused =
    noImages.test(message) || (/image|vision|multimodal|mmproj/i.test(message) && isExplicit.test(message))
  if (!isRefused) return undefined
  const hasImages = messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'),
  )
  return hasImages ? 'images' : undefined
}

function refusedThoughts({ message, param }: ProviderMessage, { messages }: ChatBody): Refusable | undefined {
  const fields = messages.flatMap((each) => Object.keys(each).filter((name) => name.startsWith('reasoning')))
  const isNamed = fields.some((name) => param?.startsWith('messages') && param.endsWith(name))
  const isMentioned = isExplicit.test(message) && fields.some((name) => name.includes('_') && message.includes(name))
  return isNamed || isMentioned ? 'earlier-thoughts' : undefined
}
