import type { MessagesRequest } from '@csp/messages-api/request'
import { lastUserTurn, questionOf, questionTurn } from '../messages-request.ts'
import type { Scenario } from '../scenario.ts'
import type { SandboxBlock } from '../stream/message.ts'
import type { ReplyContext } from './context.ts'
import { exampleValue } from './example-value.ts'
import { fits, type OfferedTool, subjectOf } from './question-words.ts'

/**
 * Calls tools of the caller's: one that the request demands; otherwise, until a tool has answered, one that clearly fits
 * the question, or as many as the scenario says. `undefined` if none is called.
 */
export function toolReply(request: MessagesRequest, context: ReplyContext): readonly SandboxBlock[] | undefined {
  const question = questionOf(questionTurn(request).text)
  const calls = chosenTools(request, question, context.scenario).map((tool): SandboxBlock => {
    const text = question.slice(0, 100)
    const subject = subjectOf(question, ownName(tool))
    const input = Object(
      exampleValue(
        { type: 'object', ...Object(tool.input_schema) },
        { text, subject, url: 'https://example.com/', isLeast: true },
      ),
    )
    return { type: 'tool_use', id: context.newId('toolu'), name: tool.name ?? '', input }
  })
  return calls.length > 0 ? calls : undefined
}

/** What the caller's tools gave since the question, if they gave anything, as a part of a sentence. */
export function givenByTools(request: MessagesRequest): string | undefined {
  const given = resultsOfCaller(request).map((result) => `“${result.slice(0, 200)}”`)
  return given.length > 0 ? `the tool gave ${given.join(' and ')}` : undefined
}

type RequestTool = NonNullable<MessagesRequest['tools']>[number]

function chosenTools(request: MessagesRequest, question: string, scenario: Scenario): readonly RequestTool[] {
  const tools = toolsOfCaller(request)
  const [first] = tools
  if (!first || scenario === 'non-compliant') return []
  const mustCall = demandsCall(request)
  if (!mustCall && resultsOfCaller(request).length > 0) return []
  const count = counts[scenario]
  if (count !== undefined) return Array.from({ length: count }, (_, index) => tools[index % tools.length] ?? first)
  const fitting = tools.find((tool) => fits(question, ownName(tool)))
  return fitting ? [fitting] : mustCall ? [first] : []
}

/** The caller's tools that may be called. Those that csp gives to the CLI have a prefix; in a direct API request they have a schema. */
function toolsOfCaller(request: MessagesRequest): readonly RequestTool[] {
  const { tools, tool_choice: choice } = request
  if (isOfTheCli(request)) return (tools ?? []).filter(({ name }) => name?.startsWith(prefix))
  if (choice?.type === 'none') return []
  return (tools ?? []).filter(
    ({ name, input_schema }) => input_schema !== undefined && (choice?.type !== 'tool' || choice.name === name),
  )
}

/** Whether the reply must be a call. csp tells the CLI's model so, behind all that is fenced, and reminds it. */
function demandsCall(request: MessagesRequest): boolean {
  if (!isOfTheCli(request)) return request.tool_choice?.type === 'any' || request.tool_choice?.type === 'tool'
  const { text } = questionTurn(request)
  const instructions = text.slice(text.lastIndexOf('</'))
  return instructions.includes('You must call one of them') || lastUserTurn(request).text.startsWith('You called none.')
}

function isOfTheCli({ tools }: MessagesRequest): boolean {
  return (tools ?? []).some(({ name = '' }) => name === 'WebSearch' || name.startsWith('mcp__'))
}

/** csp writes them into the CLI's prompt; the API has blocks for them. */
function resultsOfCaller(request: MessagesRequest): readonly string[] {
  const { text } = questionTurn(request)
  const since = /<since-then>([\s\S]*)<\/since-then>/.exec(text)?.[1]
  if (since === undefined) return isOfTheCli(request) ? [] : lastUserTurn(request).toolResults
  return [...since.matchAll(/<tool-result[^>]*>\n([\s\S]*?)\n<\/tool-result>/g)].map(([, result = '']) => result)
}

function ownName({ name = '', description }: RequestTool): OfferedTool {
  return { name: name.startsWith(prefix) ? name.slice(prefix.length) : name, description: description ?? undefined }
}

const prefix = 'mcp__client__'
const counts: Readonly<Record<string, number>> = { 'use-tool': 1, 'use-two-tools': 2 }
