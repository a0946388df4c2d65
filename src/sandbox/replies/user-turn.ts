import type { MessagesRequest } from '../messages-request.ts'

/** What the user's side said last. */
export interface UserTurn {
  /** What a person wrote, less the blocks that the CLI wraps around it. */
  readonly text: string
  /** The text of each tool result, in order. */
  readonly toolResults: readonly string[]
}

type Content = MessagesRequest['messages'][number]['content']

/**
 * Reads the last message of the role `user`. One of the role `system` may stand after it, and so may one by which the
 * CLI asks for the rest of a reply that broke off: that is no turn of its own.
 */
export function lastUserTurn(request: MessagesRequest): UserTurn {
  const turns = request.messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const content = turns.findLast((turn) => !continuation.test(textOf(turn))) ?? turns.at(-1) ?? ''
  return toTurn(content)
}

/** Every turn of the user's side, the oldest first. */
export function userTurns(request: MessagesRequest): readonly UserTurn[] {
  return request.messages.filter(({ role }) => role === 'user').map(({ content }) => toTurn(content))
}

const continuation = /^(Output token limit hit\.|Your response above was stopped by a safety classifier)/

const wrapped = /<(system-reminder|local-command-[a-z]+|command-[a-z]+)>[\s\S]*?<\/\1>/g

function toTurn(content: Content): UserTurn {
  return { text: textOf(content).replace(wrapped, '').trim(), toolResults: toolResultsOf(content) }
}

function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('\n')
}

function toolResultsOf(content: Content): readonly string[] {
  if (typeof content === 'string') return []
  return content.filter(({ type }) => type === 'tool_result').map((block) => plainText(block.content))
}

/** The content of a tool result is a string, or a list of blocks of which only the text ones matter here. */
function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => (hasText(part) ? part.text : '')).join('\n')
}

function hasText(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
}
