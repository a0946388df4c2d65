import type { MessagesRequest } from '../messages-request.ts'
import type { Block } from '../stream/message.ts'
import { exampleValue } from './example-value.ts'
import { questionOf } from './question-of.ts'
import type { ReplyContext } from './reply-context.ts'
import { lastUserTurn } from './user-turn.ts'

/**
 * The blocks of a call that asks for tools of the caller's, in the scenarios `use-tool` and `use-two-tools`; nothing in
 * the others, where no such tool is offered, and where the prompt holds what one gave.
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

/** Those that csp lends to the CLI; where no CLI stands between, every tool that has a schema. */
function toolsOfCaller(request: MessagesRequest): NonNullable<MessagesRequest['tools']> {
  const isCallers = isOfTheCli(request)
    ? ({ name }: { readonly name?: string | undefined }) => name?.startsWith(prefix)
    : ({ input_schema }: { readonly input_schema?: unknown }) => input_schema !== undefined
  return (request.tools ?? []).filter(isCallers)
}

function isOfTheCli({ tools }: MessagesRequest): boolean {
  return (tools ?? []).some(({ name = '' }) => name === 'WebSearch' || name.startsWith('mcp__'))
}

/** What a tool of the caller's gave since the question, as csp tells it; the last, when there are several. */
export function toolResultIn(prompt: string): string | undefined {
  const since = /<since-then>([\s\S]*)<\/since-then>/.exec(prompt)?.[1] ?? ''
  return [...since.matchAll(/<tool-result[^>]*>\n([\s\S]*?)\n<\/tool-result>/g)].at(-1)?.[1]
}

const prefix = 'mcp__client__'
const counts: Readonly<Record<string, number>> = { 'use-tool': 1, 'use-two-tools': 2 }
