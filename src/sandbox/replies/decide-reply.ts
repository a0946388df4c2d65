import type { MessagesRequest } from '../messages-request.ts'
import type { Block } from '../stream/message.ts'
import { questionOf } from './question-of.ts'
import type { ReplyContext } from './reply-context.ts'
import { toolReply } from './tool-reply.ts'
import { lastUserTurn } from './user-turn.ts'

/** The blocks of the agent loop's first call: it asks for a search with the words of the question, or for a tool. */
export function decideReply(request: MessagesRequest, context: ReplyContext): readonly Block[] {
  if (context.scenario === 'no-search') {
    return [{ type: 'text', text: 'Sandbox answer: this was answered from memory, without a search.' }]
  }
  const asked = toolReply(request, context)
  if (asked) return asked
  const { text } = lastUserTurn(request)
  const query = questionOf(text).replace(/\s+/g, ' ').slice(0, 400)
  const input = { query, ...domainsIn(text, 'allowed_domains'), ...domainsIn(text, 'blocked_domains') }
  return [{ type: 'tool_use', id: context.newId('toolu'), name: 'WebSearch', input }]
}

/** csp tells the model which domains to name, on a line such as `Call WebSearch with allowed_domains: a.org, b.org.` */
function domainsIn(prompt: string, name: string): Readonly<Record<string, readonly string[]>> {
  const list = new RegExp(`with ${name}: (.+?)\\.?$`, 'm').exec(prompt)?.[1]
  return list === undefined ? {} : { [name]: list.split(/,\s*/) }
}
