import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import type { ToolCall } from '../../../domain/search.ts'
import type { Issue } from '../../exchange/failure.ts'
import { type Refusal, refused } from '../../exchange/refusal.ts'
import { type Conversation, readTurns, type Said } from '../shared/chat/turns.ts'
import { fetchedText } from '../shared/named-pages.ts'
import { contentField, type InputBlock, textOfSource } from './content.ts'

/** The messages of a conversation. System messages may be anywhere among them. */
export const messagesField = z
  .array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: contentField }))
  .min(1)

type Message = z.output<typeof messagesField>[number]

/** The question and the turns before and after it; `system` comes before system messages. Throws a `Refusal`. */
export function readConversation(messages: readonly Message[], system: readonly string[]): Conversation {
  const said = messages.flatMap(readMessage)
  refuseUnanswered(messages)
  const instructions = system.map((text): Said => ({ turn: instruct(text), path: ['system'] }))
  return readTurns([...instructions, ...said], ['messages'])
}

function readMessage(message: Message, index: number): readonly Said[] {
  const path = ['messages', index]
  switch (message.role) {
    case 'user':
      return readUser(blocksOf(message), path)
    case 'assistant':
      return readAssistant(blocksOf(message), path)
    case 'system':
      return blocksOf(message).map((block, place) => {
        if (block.type === 'text') return { turn: instruct(block.text), path }
        throw unsupported(block, [...path, 'content', place], 'system')
      })
  }
}

function instruct(text: string): Said['turn'] {
  return { role: 'instructions', text: cleanText(text, true).trim() }
}

/** Tool results come before text, whatever their order in the message. */
function readUser(blocks: readonly InputBlock[], path: Issue['path']): readonly Said[] {
  const texts: string[] = []
  const results: Said[] = []
  for (const [place, block] of blocks.entries()) {
    const at = [...path, 'content', place]
    if (block.type === 'text') texts.push(block.text)
    else if (block.type === 'tool_result') results.push(readResult(block, at))
    else throw unsupported(block, at, 'user')
  }
  const text = cleanText(texts.join('\n'), true).trim()
  if (text === '' && results.length > 0) return results
  return [...results, { turn: { role: 'user', text }, path: [...path, 'content'] }]
}

/** Documents and fetched pages, which citations count. */
export function countDocuments(messages: readonly Message[]): number {
  const blocks = messages.flatMap(blocksOf)
  const inside = blocks.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content !== 'string' ? (block.content ?? []) : [],
  )
  return [...blocks, ...inside].filter(isDocument).length
}

function isDocument(block: InputBlock): boolean {
  if (block.type === 'web_fetch_tool_result') return block.content.content !== undefined
  return block.type === 'other' ? block.name.startsWith('document') : 'isDocument' in block
}

type FetchResult = Extract<InputBlock, { type: 'web_fetch_tool_result' }>
type ResultBlock = Extract<InputBlock, { type: 'tool_result' }>

function readResult({ tool_use_id, content = '', is_error }: ResultBlock, path: Issue['path']): Said {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const texts = parts.map((part, place) => {
    if (part.type === 'text') return part.text
    throw unsupported(part, [...path, 'content', place], 'tool')
  })
  const text = cleanText(texts.join('\n'), true)
  return {
    turn: { role: 'tool', callId: tool_use_id, text: is_error ? `Error: ${text}` : text },
    path: [...path, 'tool_use_id'],
  }
}

/** A reply of the model. Its thinking is dropped; its searches and results become text. */
function readAssistant(blocks: readonly InputBlock[], path: Issue['path']): readonly Said[] {
  const toolCalls: ToolCall[] = []
  let text = ''
  for (const [place, block] of blocks.entries()) {
    switch (block.type) {
      case 'text':
        text += block.text
        break
      case 'server_tool_use':
        if (block.input?.query) text += ownLines(text, `Searched the web for: ${block.input.query}`)
        break
      case 'web_search_tool_result':
        if (Array.isArray(block.content)) text += ownLines(text, block.content.map(describeRow).join('\n'))
        break
      case 'web_fetch_tool_result':
        text += describeFetched(block, text)
        break
      case 'tool_use':
        toolCalls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) })
        break
      case 'thinking':
      case 'redacted_thinking':
        break
      default:
        throw unsupported(block, [...path, 'content', place], 'assistant')
    }
  }
  const calls = toolCalls.length > 0 ? { toolCalls } : {}
  return [{ turn: { role: 'assistant', text: cleanText(text, true).trim(), ...calls }, path: [...path, 'role'] }]
}

function describeRow({ title, url }: { readonly title?: string | undefined; readonly url: string }): string {
  return `- ${title ? `${title} ` : ''}${url}`
}

function describeFetched({ content }: FetchResult, before: string): string {
  const { url, content: document } = content
  const page = document && textOfSource(document.source)
  return url && page ? ownLines(before, fetchedText(url, page)) : ''
}

/** The words of the user's last message. */
export function lastSaid(messages: readonly Message[]): string {
  const last = messages.at(-1)
  if (last?.role !== 'user') return ''
  return blocksOf(last)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
}

/** The vendor refuses a call without a result as well: the model would invent one. */
function refuseUnanswered(messages: readonly Message[]): void {
  const open = new Map<string, Issue['path']>()
  for (const [index, message] of messages.entries()) {
    for (const [place, block] of blocksOf(message).entries()) {
      if (block.type === 'tool_use') open.set(block.id, ['messages', index, 'content', place])
      if (block.type === 'tool_result') open.delete(block.tool_use_id)
    }
  }
  for (const path of open.values()) {
    throw refused(path, 'This tool_use has no tool_result')
  }
}

function blocksOf({ content }: Message): readonly InputBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function ownLines(before: string, lines: string): string {
  return `${before === '' || before.endsWith('\n') ? '' : '\n'}${lines}\n`
}

function unsupported(block: InputBlock, path: Issue['path'], role: string): Refusal {
  const name = block.type === 'other' ? block.name : block.type
  const message = `Blocks of type ${name} are not supported in a ${role} message`
  return refused([...path, 'type'], message)
}
