import { isObject } from '@csp/lib/json'
import type { ErrorWords } from '../catalogue/error-within.ts'
import type { Refusal, Refused } from '../translation/adapting.ts'
import { refusedByLine, refusedFeature, refusedValue, refuses, refusesImages } from '../translation/refusal.ts'
import type { ChatBody, Refusable } from './request/body.ts'
import type { AssistantMessage } from './request/chat.ts'

/** The feature that a provider of chat completions does not take, if its error names one. */
export function refusedByChat(refusal: Refusal, body: ChatBody, without: ReadonlySet<string>): Refused | undefined {
  const { reasoning_effort, reasoning, response_format } = body
  const told = refusedByLine(refusal, body, without, features)
  if (told) return told
  const value = refusedValue(refusal, {
    effort: reasoning_effort ?? effortIn(reasoning),
    hasSchema: response_format !== undefined,
  })
  if (value) return value
  const feature = refusedFeature(refusal, body, [refusedRole, refusedImages, refusedThoughts, refusedThinking])
  return feature === undefined ? undefined : { feature, isOfModel: true }
}

/** What a line of the catalogue may name, and whether a body has it. */
const features: Readonly<Record<string, (body: ChatBody) => boolean>> = {
  'system-role': ({ messages }) => messages.some(({ role }) => role === 'system'),
  'missing-thoughts': (body) => answers(body).some((message) => !hasThought(message)),
  'missing-signatures': (body) => answers(body).some(({ tool_calls: [call] = [] }) => call && !call.extra_content),
  'earlier-thoughts': (body) => answers(body).some(hasThought),
}

function answers({ messages }: ChatBody): readonly AssistantMessage[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [message] : []))
}

function hasThought(message: AssistantMessage): boolean {
  return Object.keys(message).some((name) => name.startsWith('reasoning'))
}

/** OpenRouter's word for none. */
function effortIn(reasoning: unknown): unknown {
  if (!isObject(reasoning)) return undefined
  return reasoning['enabled'] === false ? 'none' : reasoning['effort']
}

/** Ollama says it of a model that cannot think, without the name of the parameter. */
function refusedThinking({ message }: ErrorWords, body: ChatBody): string | undefined {
  const isRefused = 'reasoning_effort' in body && /not support (?:thinking|reasoning)/i.test(message)
  return isRefused ? 'reasoning_effort' : undefined
}

function refusedRole(error: ErrorWords, { messages }: ChatBody): Refusable | undefined {
  const { message, param } = error
  const isAboutRole = /\broles?\b|instruction/i.test(`${message} ${param ?? ''}`)
  if (!isAboutRole || !refuses(error)) return undefined
  const role = /\b(system|developer|tool)\b/i.exec(message)?.[1]?.toLowerCase()
  const has = (wanted: string): boolean => messages.some((each) => each.role === wanted)
  if (role === 'tool') return has('tool') ? 'tool-role' : undefined
  return role && has('system') ? 'system-role' : undefined
}

function refusedImages(error: ErrorWords, { messages }: ChatBody): Refusable | undefined {
  if (!refusesImages(error)) return undefined
  const hasImages = messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part.type === 'image_url'),
  )
  return hasImages ? 'images' : undefined
}

function refusedThoughts(error: ErrorWords, { messages }: ChatBody): Refusable | undefined {
  const { message, param } = error
  const fields = messages.flatMap((each) => Object.keys(each).filter((name) => name.startsWith('reasoning')))
  const isNamed = fields.some((name) => param?.startsWith('messages') && param.endsWith(name))
  const isMentioned = refuses(error) && fields.some((name) => name.includes('_') && message.includes(name))
  return isNamed || isMentioned ? 'earlier-thoughts' : undefined
}
