import type { MessagesRequest } from '@csp/messages-api/request'
import { providerCallId } from '../../translation/call-ids.ts'
import { readBlock } from '../../translation/request/blocks.ts'
import { type Part, partsOf, partsText, textPart } from '../../translation/request/parts.ts'
import { callsOf, type PlacedBlock, resultParts, systemText, turnsOf } from '../../translation/request/turns.ts'
import { AssistantTurn } from './assistant-turn.ts'
import type { ChatMessage, ChatPart } from './chat.ts'
import type { ConversationOptions } from './options.ts'

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

/** The results in a user's turn, by the ids of their calls. */
function resultsOf(blocks: readonly PlacedBlock[], options: ConversationOptions): ReadonlyMap<string, string> {
  const results = new Map<string, string>()
  for (const { block, path } of blocks) {
    if (block.type !== 'tool_result') continue
    const { tool_use_id } = readBlock('tool_result', block, path)
    results.set(tool_use_id, partsText(resultParts({ block, path }, options)))
  }
  return results
}

/** What a user's turn holds beside the results of calls: first their images, then what the user says. */
function userParts(
  blocks: readonly PlacedBlock[],
  calls: ReadonlySet<unknown>,
  options: ConversationOptions,
): readonly Part[] {
  const fromResults: Part[] = []
  const said: Part[] = []
  for (const { block, path } of blocks) {
    if (block.type !== 'tool_result') {
      said.push(...partsOf(block, path, options))
      continue
    }
    const parts = resultParts({ block, path }, options)
    const shown = parts.filter(({ type }) => type !== 'text')
    if (!calls.has(block['tool_use_id']))
      said.push(textPart(`[Result of an earlier tool call]\n${partsText(parts)}`), ...shown)
    else if (shown.length > 0)
      fromResults.push(textPart(`[From the result of ${providerCallId(String(block['tool_use_id']))}]`), ...shown)
  }
  return [...fromResults, ...said]
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
  const joined = typeof content === 'string' ? `${system}\n\n${content}` : [chatPart(textPart(system)), ...content]
  return [{ role: 'user', content: joined }, ...rest]
}

/** One string where there is only text: some providers take nothing else. */
function toContent(parts: readonly Part[]): string | readonly ChatPart[] {
  return parts.some(({ type }) => type !== 'text') ? parts.map(chatPart) : partsText(parts)
}

function chatPart(part: Part): ChatPart {
  switch (part.type) {
    case 'text':
      return part
    case 'image':
      return { type: 'image_url', image_url: { url: part.url } }
    case 'file':
      return { type: 'file', file: { filename: part.filename, file_data: part.data } }
    case 'file-url':
      return { type: 'text', text: part.url }
  }
}
