import type { MessagesRequest } from '@csp/messages-api/request'
import { readBlock } from '../../translation/request/blocks.ts'
import { type Part, type PartOptions, partsOf, partsText, textPart } from '../../translation/request/parts.ts'
import { isServerCall, isServerResult, serverResultText } from '../../translation/request/server-results.ts'
import { callsOf, type PlacedBlock, type ProviderTurn, resultParts, turnsOf } from '../../translation/request/turns.ts'
import type { ToolNames } from '../../translation/tool-names.ts'
import type { CallOutput, InputItem, InputPart, ReasoningItem } from './items.ts'

export interface InputOptions extends PartOptions {
  /** Reads a thought that the same model gave with this signature; `undefined` for any other. */
  readonly readThought: (signature: string, thinking: string) => ReasoningItem | undefined
  /** Whether messages of the model say which phase they belong to: what a model says, it wants back. */
  readonly phases?: boolean | undefined
  readonly names: ToolNames
}

/**
 * A conversation as items. Every call has its output and every output its call, because OpenAI refuses either alone; a thought
 * stays where it was, in front of what it led to. The items of a longer conversation begin with those of a shorter one.
 */
export function toInput(request: MessagesRequest, options: InputOptions): readonly InputItem[] {
  const turns = turnsOf(request)
  return turns.flatMap((turn, index) =>
    turn.role === 'assistant'
      ? assistantItems(turn, turns[index + 1], options)
      : userItems(turn, callsOf(turns[index - 1]), options),
  )
}

function userItems({ blocks }: ProviderTurn, calls: ReadonlySet<unknown>, options: InputOptions): readonly InputItem[] {
  const parts = blocks.flatMap(({ block, path }): readonly Part[] => {
    if (block.type !== 'tool_result') return partsOf(block, path, options)
    if (calls.has(block['tool_use_id'])) return []
    const result = resultParts({ block, path }, options)
    const shown = result.filter(({ type }) => type !== 'text')
    return [textPart(`[Result of an earlier tool call]\n${partsText(result)}`), ...shown]
  })
  return parts.length > 0 ? [{ type: 'message', role: 'user', content: parts.map(inputPart) }] : []
}

/** What the model wrote, in its order; the outputs of its calls stand behind them. */
function assistantItems(
  { blocks }: ProviderTurn,
  next: ProviderTurn | undefined,
  options: InputOptions,
): readonly InputItem[] {
  const results = new Map<string, CallOutput['output']>([
    ...blocks.flatMap(({ block }) => serverOutput(block)),
    ...(next?.role === 'user' ? next.blocks : []).flatMap((placed) => clientOutput(placed, options)),
  ])
  const items: InputItem[] = []
  let open: CallOutput[] = []
  let before = ''
  const endCalls = (): void => {
    items.push(...open)
    open = []
  }
  for (const placed of blocks) {
    // The model wrote what follows with the result before its eyes.
    if (isServerResult(placed.block)) endCalls()
    const isContinued = before === 'text'
    before = placed.block.type
    const item = assistantItem(placed, options)
    if (!item) continue
    const call_id = item.type === 'function_call' ? item.call_id : undefined
    const { id } = placed.block
    const output = (typeof id === 'string' ? results.get(id) : undefined) ?? 'No result.'
    if (call_id !== undefined) open.push({ type: 'function_call_output', call_id, output })
    const joined = isContinued ? joinedTexts(items.at(-1), item) : undefined
    if (joined) items[items.length - 1] = joined
    else items.push(item)
  }
  endCalls()
  const kept = items.filter((item, index) => item.type !== 'reasoning' || hasOutcome(items, index))
  return options.phases ? kept.map((item, index) => inPhase(item, kept.slice(index + 1))) : kept
}

/** What a model says before it calls a tool is no answer. */
function inPhase(item: InputItem, following: readonly InputItem[]): InputItem {
  if (item.type !== 'message' || item.role !== 'assistant') return item
  return { ...item, phase: following.some(({ type }) => type === 'function_call') ? 'commentary' : 'final_answer' }
}

/** A text with citations comes in several blocks. */
function joinedTexts(last: InputItem | undefined, item: InputItem): InputItem | undefined {
  if (last?.type !== 'message' || item.type !== 'message') return undefined
  if (last.role !== 'assistant' || item.role !== 'assistant') return undefined
  const text = [...last.content, ...item.content].map((part) => part.text).join('')
  return { ...item, content: [{ type: 'output_text', text }] }
}

function assistantItem({ block, path }: PlacedBlock, options: InputOptions): InputItem | undefined {
  if (block.type === 'text') {
    const { text } = readBlock('text', block, path)
    return text === '' ? undefined : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  }
  if (block.type === 'thinking') {
    const { thinking, signature } = readBlock('thinking', block, path)
    return signature ? options.readThought(signature, thinking) : undefined
  }
  if (block.type !== 'tool_use' && !isServerCall(block)) return undefined
  const { id, name, input } = readBlock('tool_use', block, path)
  const json = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  const names = { call_id: callId(id, options.names), name: options.names.toProvider(name) }
  return { type: 'function_call', ...names, arguments: json }
}

/** OpenAI refuses a thought that nothing follows: one that was cut off, or whose outcome the caller has left out. */
function hasOutcome(items: readonly InputItem[], index: number): boolean {
  const next = items.slice(index + 1).find(({ type }) => type !== 'reasoning')
  return next?.type === 'message' || next?.type === 'function_call'
}

function serverOutput(block: PlacedBlock['block']): readonly [string, string][] {
  const id = block['tool_use_id']
  return isServerResult(block) && typeof id === 'string' ? [[id, serverResultText(block['content'])]] : []
}

function clientOutput({ block, path }: PlacedBlock, options: PartOptions): readonly [string, CallOutput['output']][] {
  if (block.type !== 'tool_result') return []
  const { tool_use_id } = readBlock('tool_result', block, path)
  const parts = resultParts({ block, path }, options)
  const isText = parts.every(({ type }) => type === 'text')
  return [[tool_use_id, isText ? partsText(parts) : parts.map(inputPart)]]
}

/** OpenAI takes 64 characters. */
function callId(id: string, names: ToolNames): string {
  return id.length <= 64 ? id : names.toProvider(id)
}

function inputPart(part: Part): InputPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return { type: 'input_image', image_url: part.url }
    case 'file':
      return { type: 'input_file', filename: part.filename, file_data: part.data }
    case 'file-url':
      return { type: 'input_file', file_url: part.url }
  }
}
