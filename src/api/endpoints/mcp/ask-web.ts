import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { cleanText } from '../../../lib/text.ts'
import { nameField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import type { McpTool, ToolOffer, ToolReply } from './tool.ts'
import { sourceSchema, sourceText, toSource } from './tool.ts'

const efforts = ['fast', 'standard', 'deep'] as const
const speakers = ['user', 'assistant'] as const
const maximumTurns = 100

const schema = z.object({
  question: queryField({ ...ordinaryQuery, keepLines: true }),
  effort: optional(nameField(efforts)),
  conversation: optional(
    z
      .array(z.object({ role: nameField(speakers), content: z.string().transform((text) => cleanText(text, true)) }))
      .max(maximumTurns),
  ),
})

type AskWebInput = z.output<typeof schema>

const offer: ToolOffer = {
  name: 'ask_web',
  title: 'Ask the web',
  description:
    'Answer a question from the web (internet) with citations: searches, reads what it finds, and returns a short ' +
    'written answer whose [n] markers point into a numbered list of sources. Good for research, comparisons and ' +
    'fact checks that need more than one page. Use web_search instead when you want the pages themselves.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'A whole question, clear without the conversation' },
      effort: {
        type: 'string',
        enum: efforts,
        default: 'standard',
        description:
          'fast: one search, a brief answer. standard: one search, a written answer. deep: searches as often as it needs, takes a minute or more',
      },
      conversation: {
        type: 'array',
        maxItems: maximumTurns,
        description: 'Earlier turns, oldest first, if the question is a follow-up',
        items: {
          type: 'object',
          properties: { role: { type: 'string', enum: speakers }, content: { type: 'string' } },
          required: ['role', 'content'],
        },
      },
    },
    required: ['question'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      answer: { type: 'string', description: 'Markers such as [2] name the source of that number' },
      sources: {
        type: 'array',
        items: {
          ...sourceSchema,
          properties: {
            ...sourceSchema.properties,
            cited: { type: 'boolean', description: 'Whether a marker names it' },
          },
          required: [...sourceSchema.required, 'cited'],
        },
      },
    },
    required: ['answer', 'sources'],
  },
}

/** A written answer with its sources. */
export const mcpAskWeb: McpTool<AskWebInput> = { offer, schema, parse, format }

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
