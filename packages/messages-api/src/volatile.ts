import { type ContentBlock, isBlocks, type MessagesRequest } from './request.ts'

type Message = MessagesRequest['messages'][number]

/**
 * The request without what Claude Code changes from turn to turn: the billing line at the head of what the system says and the
 * countdown of tokens. They would void the provider's cache of the prompt. Not for Anthropic, whom they are meant for.
 */
export function withoutVolatileText(request: MessagesRequest): MessagesRequest {
  const { system, messages } = request
  return {
    ...request,
    ...(system && { system: typeof system === 'string' ? stable(withoutBilling(system)) : stableSystem(system) }),
    messages: messages.flatMap((message) => {
      const { role, content } = message
      if (role === 'assistant') return [message]
      if (role === 'system') return stableSystemMessage(message)
      return [{ ...message, content: typeof content === 'string' ? stable(content) : stableBlocks(content) }]
    }),
  }
}

/** Left out when nothing else stands there. */
function stableSystemMessage(message: Message): readonly Message[] {
  const { content: given } = message
  const content = typeof given === 'string' ? stable(withoutBilling(given)) : stableSystem(given)
  return content.length === 0 && given.length > 0 ? [] : [{ ...message, content }]
}

function stableSystem(blocks: readonly ContentBlock[]): ContentBlock[] {
  return stableBlocks(
    blocks.flatMap((block) => {
      if (typeof block['text'] !== 'string') return [block]
      const text = withoutBilling(block['text'])
      return text === '' && block['text'] !== '' ? [] : [{ ...block, text }]
    }),
  )
}

/** Blocks that held nothing else are left out. */
function stableBlocks(blocks: readonly ContentBlock[]): ContentBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === 'tool_result') return [stableResult(block)]
    if (block.type !== 'text' || typeof block['text'] !== 'string') return [block]
    const text = stable(block['text'])
    if (text === block['text']) return [block]
    return text === '' ? [] : [{ ...block, text }]
  })
}

function stableResult(result: ContentBlock): ContentBlock {
  const { content } = result
  if (typeof content === 'string') return { ...result, content: stable(content) }
  return isBlocks(content) ? { ...result, content: stableBlocks(content) } : result
}

function withoutBilling(text: string): string {
  return text.replace(/^\s*x-anthropic-billing-header:[^\n]*\n*/, '')
}

/** Only where the countdown has a line of its own: a text that quotes it stays. */
function stable(text: string): string {
  return text.includes('<total_tokens>') ? text.replace(countdown, '') : text
}

const counter = String.raw`<total_tokens>(?:\d+|Infinite) tokens left<\/total_tokens>`
const countdown = new RegExp(
  String.raw`(?<!\n)\n*^(?:<system-reminder>\s*${counter}\s*<\/system-reminder>|${counter})[ \t]*$`,
  'gm',
)
