import type { MessagesRequest } from '../../messages-api/request.ts'
import { lastUserTurn, questionOf } from '../messages-request.ts'
import type { ReplyContext } from '../scenario.ts'
import type { SandboxBlock } from '../stream/message.ts'
import { toolReply } from './tool-reply.ts'

/** The first call of the agent loop: it calls a tool of the caller's, or WebSearch with the question as the query. */
export function decideReply(request: MessagesRequest, context: ReplyContext): readonly SandboxBlock[] {
  if (context.scenario === 'no-search') {
    return [{ type: 'text', text: 'Sandbox answer: this was answered from memory, without a search.' }]
  }
  const asked = toolReply(request, context)
  if (asked) return asked
  const { text } = lastUserTurn(request)
  const query = questionOf(text).replace(/\s+/g, ' ').slice(0, 400)
  const input = { query, ...domainsIn(text, 'allowed_domains'), ...domainsIn(text, 'blocked_domains') }
  const search = (asked: object) =>
    ({ type: 'tool_use', id: context.newId('toolu'), name: 'WebSearch', input: { ...asked } }) as const
  return context.scenario === 'search-twice'
    ? [search(input), search({ ...input, query: `${query} again` })]
    : [search(input)]
}

/** csp instructs the model which domains to pass, on a line such as `Call WebSearch with allowed_domains: a.org, b.org.` */
function domainsIn(prompt: string, name: string): Readonly<Record<string, readonly string[]>> {
  const list = new RegExp(`with ${name}: (.+?)\\.?$`, 'm').exec(prompt)?.[1]
  return list === undefined ? {} : { [name]: list.split(/,\s*/) }
}
