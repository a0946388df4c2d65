import { z } from 'zod'
import type { SearchRequest, Turn } from '../domain/search.ts'
import type { Issue } from './dialect.ts'
import { optional, Rejection } from './field.ts'
import { cleanText, ordinaryQuery, readQuery } from './query-field.ts'
import { invalid, type Refusal } from './refusal.ts'

const partField = z.looseObject({ type: z.string(), text: optional(z.string()) })

/** A chat's messages as OpenAI and Perplexity send them. */
export const messagesField = z
  .array(
    z.object({
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
      content: optional(z.union([z.string(), z.array(partField)])),
    }),
  )
  .min(1)

type Message = z.output<typeof messagesField>[number]

/** The question, what was said before it, and the caller's instructions. Throws a `Refusal`. */
export function readMessages(messages: readonly Message[]): Pick<SearchRequest, 'query' | 'history' | 'instructions'> {
  const texts = messages.map((message, index) => ({
    role: roleOf(message, index),
    text: textOf(message, index),
    index,
  }))
  const instructions = texts.filter(({ role }) => role === 'instructions').map(({ text }) => text)
  const turns = texts.flatMap(({ role, text, index }) => (role === 'instructions' ? [] : [{ role, text, index }]))
  const question = turns.at(-1)
  if (question?.role !== 'user') {
    throw refused(
      question ? ['messages', question.index, 'role'] : ['messages'],
      'The last message should be the user’s',
    )
  }
  const query = readQuery(question.text, { ...ordinaryQuery, keepLines: true })
  if (query instanceof Rejection) {
    const { type, message, context } = query
    throw invalid({ path: ['messages', question.index, 'content'], type, message, context })
  }
  return {
    query,
    history: turns.slice(0, -1).flatMap(({ role, text }): readonly Turn[] => (text ? [{ role, text }] : [])),
    instructions: instructions.filter(Boolean).join('\n\n') || undefined,
  }
}

function roleOf({ role }: Message, index: number): 'user' | 'assistant' | 'instructions' {
  switch (role) {
    case 'user':
    case 'assistant':
      return role
    case 'system':
    case 'developer':
      return 'instructions'
    default:
      throw refused(['messages', index, 'role'], `Messages of the role ${role} are not supported`)
  }
}

function textOf({ content = '' }: Message, index: number): string {
  if (typeof content === 'string') return cleanText(content, true).trim()
  const texts = content.map((part, place) => {
    if (part.type === 'text') return part.text ?? ''
    throw refused(['messages', index, 'content', place, 'type'], 'Only parts of the type text are supported')
  })
  return cleanText(texts.join('\n'), true).trim()
}

function refused(path: Issue['path'], message: string): Refusal {
  return invalid({ path, type: 'value_error', message })
}
