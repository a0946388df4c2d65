import type { MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import { lastUserTurn, questionOf } from '../messages-request.ts'
import type { SandboxBlock } from '../stream/message.ts'
import type { ReplyContext } from './context.ts'
import { queryFor } from './library-text.ts'
import { toolReply } from './tool-reply.ts'

/** The first call of the agent loop: it calls a tool of the caller's, or WebSearch with the question as the query. */
export function decideReply(request: MessagesRequest, context: ReplyContext): readonly SandboxBlock[] {
  if (context.scenario === 'no-search') {
    return [{ type: 'text', text: 'Sandbox answer: this was answered from memory, without a search.' }]
  }
  const asked = toolReply(request, context)
  if (asked) return asked
  const { text } = lastUserTurn(request)
  const query = (context.library ? queryFor(request, context) : questionOf(text).replace(/\s+/g, ' ')).slice(0, 400)
  const domains = { ...domainsIn(text, 'allowed_domains'), ...domainsIn(text, 'blocked_domains') }
  const input = { query, ...domains, ...modeFor(request, text) }
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

/** For a WebSearch with modes: the one that csp asks for, otherwise the last, which costs most. */
function modeFor({ tools }: MessagesRequest, prompt: string): { readonly mode?: string | undefined } {
  const webSearch = tools?.find(({ name }) => name === 'WebSearch')
  const { data } = withModes.safeParse(webSearch?.input_schema)
  return data ? { mode: /"mode", set it to "(\w+)"/.exec(prompt)?.[1] ?? data.properties.mode.enum.at(-1) } : {}
}

const withModes = z.object({ properties: z.object({ mode: z.object({ enum: z.array(z.string()) }) }) })
