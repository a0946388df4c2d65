import { SearchError } from '../../../domain/error.ts'

/** One step in the making of a message’s content: the data of one server-sent event. */
export type BlockEvent =
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly CitationBlock[] }
  | (ToolUse & { readonly type: 'server_tool_use' | 'tool_use' })
  | {
      readonly type: 'web_search_tool_result'
      readonly tool_use_id: string
      readonly content: readonly ResultBlock[]
      readonly caller: Caller
    }

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'citations_delta'; readonly citation: CitationBlock }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
}

interface Caller {
  readonly type: 'direct'
}

export interface ResultBlock {
  readonly type: 'web_search_result'
  readonly url: string
  readonly title: string
  /** The vendor puts no form to it; ours is `YYYY-MM-DD`. */
  readonly page_age: string | null
  /** Opaque to the caller: here a name for the row. */
  readonly encrypted_content: string
}

export interface CitationBlock {
  readonly type: 'web_search_result_location'
  readonly url: string
  readonly title: string
  /** `encrypted_content` of the row. */
  readonly encrypted_index: string
  /** At most 150 characters; empty when no excerpt is known. */
  readonly cited_text: string
}

/** Puts a message’s content together from its steps, as the vendor’s client does. */
export function foldContent(events: Iterable<BlockEvent>): readonly ContentBlock[] {
  const blocks: ContentBlock[] = []
  let block: ContentBlock | undefined
  let json = ''
  for (const event of events) {
    switch (event.type) {
      case 'content_block_start':
        block = event.content_block
        json = ''
        break
      case 'content_block_delta':
        if (event.delta.type === 'input_json_delta') json += event.delta.partial_json
        else if (block?.type === 'text') block = extend(block, event.delta)
        break
      case 'content_block_stop':
        if (block) blocks.push(json && 'input' in block ? { ...block, input: readArguments(json) } : block)
        break
    }
  }
  return blocks
}

type TextBlock = Extract<ContentBlock, { type: 'text' }>
type TextDelta = Exclude<BlockDelta, { type: 'input_json_delta' }>

function extend(block: TextBlock, delta: TextDelta): TextBlock {
  return delta.type === 'text_delta'
    ? { ...block, text: block.text + delta.text }
    : { ...block, citations: [...(block.citations ?? []), delta.citation] }
}

function readArguments(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new SearchError('failed', 'The model broke off the arguments of a tool.', { cause })
  }
}
