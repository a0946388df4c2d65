import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { readBlock } from './blocks.ts'
import { type Part, type PartOptions, partsOf, partsText, textPart } from './parts.ts'

/** A block, with its place in the request for errors. */
export interface PlacedBlock {
  readonly block: ContentBlock
  readonly path: string
}

/** All that one side says before the other begins. */
export interface ProviderTurn {
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly PlacedBlock[]
}

/** Messages of one side in a row are one turn. A system message among them counts as the user's, and says what it is. */
export function turnsOf({ messages }: MessagesRequest): readonly ProviderTurn[] {
  const turns: { role: ProviderTurn['role']; blocks: PlacedBlock[] }[] = []
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

function asReminder({ block, path }: PlacedBlock): PlacedBlock {
  if (block.type === 'text') readBlock('text', block, path)
  return { block: reminderOf(block), path }
}

/** Many templates take a system message at the head only. The tag is the one that Claude Code itself uses. */
export function reminderOf(block: ContentBlock): ContentBlock {
  const { type, text } = block
  return type === 'text' ? { type: 'text', text: `<system-reminder>\n${String(text)}\n</system-reminder>` } : block
}

/** The ids of the calls of the caller's own tools in a turn. */
export function callsOf(turn: ProviderTurn | undefined): ReadonlySet<unknown> {
  const calls = turn?.role === 'assistant' ? turn.blocks.filter(({ block }) => block.type === 'tool_use') : []
  return new Set(calls.map(({ block }) => block['id']))
}

/** The result of a tool, with a note if the tool failed. */
export function resultParts({ block, path }: PlacedBlock, options: PartOptions): readonly Part[] {
  const { content, is_error } = readBlock('tool_result', block, path)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const parts = blocks.flatMap((each, index) => resultPart(each, `${path}.content.${index}`, options))
  if (!is_error) return parts
  const text = partsText(parts)
  return [textPart(/^error/i.test(text) ? text : `Error: ${text}`), ...parts.filter(({ type }) => type !== 'text')]
}

/** A block of a type that nobody knows is told as its JSON: the model has to see what its tool brought. */
function resultPart(block: ContentBlock, path: string, options: PartOptions): readonly Part[] {
  const parts = partsOf(block, path, options)
  return parts.length > 0 || block.type === 'text' ? parts : [textPart(JSON.stringify(block).slice(0, maxUnknown))]
}

const maxUnknown = 20_000

/** The system prompt as one text. */
export function systemText({ system }: MessagesRequest): string {
  if (typeof system === 'string') return system
  const texts = (system ?? []).flatMap((block, index) =>
    block.type === 'text' ? [readBlock('text', block, `system.${index}`).text] : [],
  )
  return texts.join('\n\n')
}
