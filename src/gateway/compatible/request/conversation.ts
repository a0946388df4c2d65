import type { MessagesRequest } from '../../messages/request.ts'
import { AssistantTurn } from './assistant-turn.ts'
import { readBlock } from './blocks.ts'
import type { ChatMessage, ChatPart } from './chat.ts'
import type { ConversationOptions, PlacedBlock } from './options.ts'
import { partsOf, textOf, textPart, toContent, toParts } from './parts.ts'

/**
 * A conversation as chat messages: each tool's result right behind its call, then what the user says. Calls without a result
 * get an empty one, and results without a call are told as text, because providers refuse either. The messages of a longer
 * conversation begin with those of a shorter one.
 */
export function toChatMessages(request: MessagesRequest, options: ConversationOptions): readonly ChatMessage[] {
  const turns = turnsOf(request)
  const messages: ChatMessage[] = []
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      const next = turns[index + 1]
      const results = resultsOf(next?.role === 'user' ? next.blocks : [], options)
      messages.push(...new AssistantTurn(turn.blocks, results, options).messages())
    } else {
      const calls = callsOf(turns[index - 1])
      const content = toContent(userParts(turn.blocks, calls, options))
      if (content.length > 0) messages.push({ role: 'user', content })
    }
  }
  return withSystem(systemText(request), messages, options)
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly PlacedBlock[]
}

/** Messages of one side in a row are one turn. A system message among them counts as the user's, and says what it is. */
function turnsOf({ messages }: MessagesRequest): readonly Turn[] {
  const turns: { role: Turn['role']; blocks: PlacedBlock[] }[] = []
  for (const [index, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const path = `messages.${index}.content`
    const placed =
      typeof message.content === 'string'
        ? [{ block: { type: 'text', text: message.content }, path }]
        : message.content.map((block, place) => ({ block, path: `${path}.${place}` }))
    const blocks = message.role === 'system' ? placed.map(asReminder) : placed
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks: [...blocks] })
  }
  return turns
}

/** Many templates take a system message at the head only. The tag is the one that Claude Code itself uses. */
function asReminder({ block, path }: PlacedBlock): PlacedBlock {
  if (block.type !== 'text') return { block, path }
  const { text } = readBlock('text', block, path)
  return { block: { type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }, path }
}

function callsOf(turn: Turn | undefined): ReadonlySet<unknown> {
  const calls = turn?.role === 'assistant' ? turn.blocks.filter(({ block }) => block.type === 'tool_use') : []
  return new Set(calls.map(({ block }) => block['id']))
}

/** The results in a user's turn, by the ids of their calls. */
function resultsOf(blocks: readonly PlacedBlock[], options: ConversationOptions): ReadonlyMap<string, string> {
  const results = new Map<string, string>()
  for (const { block, path } of blocks) {
    if (block.type !== 'tool_result') continue
    const { tool_use_id } = readBlock('tool_result', block, path)
    results.set(tool_use_id, textOf(resultParts({ block, path }, options)))
  }
  return results
}

/** What a user's turn holds beside the results of calls: first their images, then what the user says. */
function userParts(
  blocks: readonly PlacedBlock[],
  calls: ReadonlySet<unknown>,
  options: ConversationOptions,
): readonly ChatPart[] {
  const fromResults: ChatPart[] = []
  const said: ChatPart[] = []
  for (const { block, path } of blocks) {
    if (block.type !== 'tool_result') {
      said.push(...partsOf(block, path, options))
      continue
    }
    const parts = resultParts({ block, path }, options)
    const shown = parts.filter(({ type }) => type !== 'text')
    if (!calls.has(block['tool_use_id']))
      said.push(textPart(`[Result of an earlier tool call]\n${textOf(parts)}`), ...shown)
    else if (shown.length > 0) fromResults.push(textPart(`[From the result of ${block['tool_use_id']}]`), ...shown)
  }
  return [...fromResults, ...said]
}

function resultParts({ block, path }: PlacedBlock, options: ConversationOptions): readonly ChatPart[] {
  const { content, is_error } = readBlock('tool_result', block, path)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const parts = toParts(blocks, `${path}.content`, options)
  if (!is_error) return parts
  const text = textOf(parts)
  return [textPart(/^error/i.test(text) ? text : `Error: ${text}`), ...parts.filter(({ type }) => type !== 'text')]
}

function systemText({ system }: MessagesRequest): string {
  if (typeof system === 'string') return system
  const texts = (system ?? []).flatMap((block, index) =>
    block.type === 'text' ? [readBlock('text', block, `system.${index}`).text] : [],
  )
  return texts.join('\n\n')
}

function withSystem(
  system: string,
  messages: readonly ChatMessage[],
  { systemRole }: ConversationOptions,
): readonly ChatMessage[] {
  if (system === '') return messages
  if (systemRole) return [{ role: 'system', content: system }, ...messages]
  const [first, ...rest] = messages
  if (first?.role !== 'user') return [{ role: 'user', content: system }, ...messages]
  const { content } = first
  const joined = typeof content === 'string' ? `${system}\n\n${content}` : [textPart(system), ...content]
  return [{ role: 'user', content: joined }, ...rest]
}
