import type { MessagesRequest } from '../messages-request.ts'
import { lastUserTurn, questionOf } from '../messages-request.ts'
import type { ReplyContext } from '../scenario.ts'
import type { Block } from '../stream/message.ts'
import { exampleValue } from './json-reply.ts'

/**
 * Calls the caller's tools in the scenarios `use-tool` and `use-two-tools`. `undefined` in the others, when no such tool
 * is offered, and when the prompt already contains a result.
 */
export function toolReply(request: MessagesRequest, context: ReplyContext): readonly Block[] | undefined {
  const count = counts[context.scenario]
  const tools = toolsOfCaller(request)
  const { text, toolResults } = lastUserTurn(request)
  const isAnswered = isOfTheCli(request) ? toolResultIn(text) !== undefined : toolResults.length > 0
  if (count === undefined || tools.length === 0 || isAnswered) return undefined
  const question = questionOf(text).slice(0, 100)
  return Array.from({ length: count }, (_, index) => {
    const { name = '', input_schema } = tools[index % tools.length] ?? {}
    const input = Object(exampleValue(input_schema, { text: question, url: 'https://example.com/' }))
    return { type: 'tool_use', id: context.newId('toolu'), name, input }
  })
}

/** The caller's tools that csp gives to the CLI; in a direct API request, every tool with a schema. */
function toolsOfCaller(request: MessagesRequest): NonNullable<MessagesRequest['tools']> {
  const isCallers = isOfTheCli(request)
    ? ({ name }: { readonly name?: string | undefined }) => name?.startsWith(prefix)
    : ({ input_schema }: { readonly input_schema?: unknown }) => input_schema !== undefined
  return (request.tools ?? []).filter(isCallers)
}

function isOfTheCli({ tools }: MessagesRequest): boolean {
  return (tools ?? []).some(({ name = '' }) => name === 'WebSearch' || name.startsWith('mcp__'))
}

/** The last result of a caller's tool after the question, as csp writes it into the prompt. */
export function toolResultIn(prompt: string): string | undefined {
  const since = /<since-then>([\s\S]*)<\/since-then>/.exec(prompt)?.[1] ?? ''
  return [...since.matchAll(/<tool-result[^>]*>\n([\s\S]*?)\n<\/tool-result>/g)].at(-1)?.[1]
}

const prefix = 'mcp__client__'
const counts: Readonly<Record<string, number>> = { 'use-tool': 1, 'use-two-tools': 2 }

/** The first call of the agent loop: it calls a tool of the caller's, or WebSearch with the question as the query. */
export function decideReply(request: MessagesRequest, context: ReplyContext): readonly Block[] {
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
