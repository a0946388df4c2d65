import type { StopReason } from '@csp/messages-api/events'
import type { MessagesRequest } from '@csp/messages-api/request'
import type { ModelCallKind } from '../messages-request.ts'
import type { Scenario } from '../scenario.ts'
import type { SandboxBlock, SandboxMessage } from '../stream/message.ts'
import { charactersPerToken } from '../stream/pace.ts'
import { answerReply } from './answer-reply.ts'
import type { ReplyContext } from './context.ts'
import { decideReply } from './decide-reply.ts'
import { searchReply } from './search-reply.ts'
import { textReply } from './write-reply.ts'

/** Answers a model call with a whole message. Never throws. */
export function reply(kind: ModelCallKind, request: MessagesRequest, context: ReplyContext): SandboxMessage {
  const content = alter(replies[kind](request, context), kind, context.scenario)
  return {
    id: context.newId('msg'),
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: stopReason(content, context.scenario),
    stop_sequence: null,
    usage: {
      input_tokens: tokens(JSON.stringify(request.messages)),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: tokens(JSON.stringify(content)),
      ...(isSearch(kind) && { server_tool_use: { web_search_requests: countSearches(content) } }),
    },
  }
}

const replies: Readonly<
  Record<ModelCallKind, (request: MessagesRequest, context: ReplyContext) => readonly SandboxBlock[]>
> = {
  search: searchReply,
  answer: answerReply,
  decide: decideReply,
  write: textReply,
}

function isSearch(kind: ModelCallKind): boolean {
  return kind === 'search' || kind === 'answer'
}

/** Applies the scenarios that change a reply of any kind. */
function alter(content: readonly SandboxBlock[], kind: ModelCallKind, scenario: Scenario): readonly SandboxBlock[] {
  switch (scenario) {
    case 'preamble':
      return kind === 'write' ? content : [{ type: 'text', text: 'Sandbox: a search comes first.' }, ...content]
    case 'refusal':
      return [refusal]
    case 'refusal-after-search':
      return kind === 'answer' ? [...content.filter(({ type }) => type !== 'text'), refusal] : content
    case 'max-tokens':
      return cutShort(content)
    case 'pause-turn':
      return isSearch(kind) ? content.filter(({ type }) => type !== 'text') : content
    default:
      return content
  }
}

const refusal: SandboxBlock = { type: 'text', text: 'Sandbox answer: it was told to refuse.' }

/** Cuts the reply in the middle of its text. A reply without text is not changed. */
function cutShort(content: readonly SandboxBlock[]): readonly SandboxBlock[] {
  const texts = content.filter((block) => block.type === 'text')
  const last = texts[Math.ceil(texts.length / 2) - 1]
  if (!last) return content
  const half = last.text.slice(0, Math.ceil(last.text.length / 2))
  return [...content.slice(0, content.indexOf(last)), { type: 'text', text: half }]
}

function stopReason(content: readonly SandboxBlock[], scenario: Scenario): StopReason {
  if (content.includes(refusal)) return 'refusal'
  const last = content.at(-1)?.type
  if (last === 'tool_use') return 'tool_use'
  if (scenario === 'pause-turn' && last === 'web_search_tool_result') return 'pause_turn'
  return scenario === 'max-tokens' ? 'max_tokens' : 'end_turn'
}

function countSearches(content: readonly SandboxBlock[]): number {
  return content.filter(({ type }) => type === 'server_tool_use').length
}

function tokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}
