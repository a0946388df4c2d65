import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { cleanText } from '../../../lib/text.ts'
import { nameField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { type McpTool, sourceSchema, sourceText, type ToolReply, toSource } from './tool.ts'

const turnSchema = z.object({
  role: nameField(['user', 'assistant']),
  content: z.string().transform((text) => cleanText(text, true)),
})

const schema = z.object({
  question: queryField({ ...ordinaryQuery, keepLines: true }).describe(
    'A whole question, clear without the conversation',
  ),
  effort: optional(nameField(['fast', 'standard', 'deep'])).describe(
    'fast: one search, a brief answer. standard, the default: one search, a written answer. deep: searches as often as it needs, takes a minute or more',
  ),
  conversation: optional(z.array(turnSchema).max(100)).describe(
    'Earlier turns, oldest first, if the question is a follow-up',
  ),
})

type AskWebInput = z.output<typeof schema>

/** A written answer with its sources. */
export const mcpAskWeb: McpTool<AskWebInput> = {
  name: 'ask_web',
  title: 'Ask the web',
  description:
    'Answer a question from the web (internet) with citations: searches, reads what it finds, and returns a short ' +
    'written answer whose [n] markers point into a numbered list of sources. Good for research, comparisons and ' +
    'fact checks that need more than one page. Use web_search instead when you want the pages themselves.',
  schema,
  output: z.object({
    answer: z.string().describe('Markers such as [2] name the source of that number'),
    sources: z.array(sourceSchema.extend({ cited: z.boolean().describe('Whether a marker names it') })),
  }),
  parse,
  format,
}

function parse({ question, effort = 'standard', conversation = [] }: AskWebInput): SearchRequest {
  const history = conversation.map(({ role, content }) => ({ role, text: content }))
  return { query: question, history, want: 'answer', effort, filters: {} }
}

function format({ text, searches, citations }: Answer): ToolReply {
  const cited = new Set(citations.map(({ number }) => number))
  const sources = sourcesOf(searches).map((page, index) => ({ page, number: index + 1, cited: cited.has(index + 1) }))
  // Sources that the answer does not cite are only in `sources`, so that a model reads no more than it needs.
  const shown = cited.size > 0 ? sources.filter((source) => source.cited) : sources
  const list = shown.map(({ page, number }) => sourceText({ ...page, snippet: undefined }, number)).join('\n')
  return {
    structured: {
      answer: text,
      sources: sources.map((source) => ({ ...toSource(source.page, source.number), cited: source.cited })),
    },
    text: list ? `${text}\n\nSources:\n${list}` : text,
  }
}
