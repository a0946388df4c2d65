import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import type { ToolCall } from '../../../../domain/search.ts'
import type { Issue } from '../../../exchange/failure.ts'
import { missingField, refused } from '../../../exchange/refusal.ts'
import { optional } from '../../../fields/field.ts'
import { type Conversation, readTurns, type Said } from './turns.ts'

const partField = z.looseObject({ type: z.string(), text: optional(z.string()), refusal: optional(z.string()) })

const callField = z.object({
  id: z.string().min(1),
  type: optional(z.literal('function')),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

/** A chat's messages as OpenAI and Perplexity send them. */
export const messagesField = z
  .array(
    z.object({
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
      content: optional(z.union([z.string(), z.array(partField)])),
      tool_calls: optional(z.array(callField)),
      tool_call_id: optional(z.string()),
    }),
  )
  .min(1)

type Message = z.output<typeof messagesField>[number]

/** The question, the turns before and after it, and the caller's instructions. Throws a `Refusal`. */
export function readMessages(messages: readonly Message[]): Conversation {
  return readTurns(messages.map(readMessage), ['messages'])
}

function readMessage(message: Message, index: number): Said {
  const path = (field: keyof Message): Issue['path'] => ['messages', index, field]
  const text = messageText(message, path('content'))
  switch (message.role) {
    case 'system':
    case 'developer':
      return { turn: { role: 'instructions', text }, path: path('content') }
    case 'user':
      return { turn: { role: 'user', text }, path: path('content') }
    case 'assistant':
      return { turn: { role: 'assistant', text, ...toolCallsOf(message) }, path: path('role') }
    case 'tool': {
      const callId = message.tool_call_id
      if (!callId) throw missingField(path('tool_call_id'))
      return { turn: { role: 'tool', text, callId }, path: path('tool_call_id') }
    }
    case 'function':
      throw refused(path('role'), 'Legacy functions are not supported; use tools')
  }
}

function toolCallsOf({ tool_calls = [] }: Message): { readonly toolCalls?: readonly ToolCall[] | undefined } {
  if (tool_calls.length === 0) return {}
  return { toolCalls: tool_calls.map(({ id, function: called }) => ({ id, ...called })) }
}

function messageText({ content = '' }: Message, path: Issue['path']): string {
  if (typeof content === 'string') return cleanText(content, true).trim()
  const texts = content.map(({ type, text, refusal }, place) => {
    if (type === 'text') return text ?? ''
    if (type === 'refusal') return refusal ?? ''
    throw refused([...path, place, 'type'], `Only parts of type text are supported, not ${type}`)
  })
  return cleanText(texts.join('\n'), true).trim()
}
