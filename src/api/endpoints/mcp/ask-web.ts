import { concernsOf, doubtText, type Evidence, verdicts } from '@csp/evidence/evidence'
import { guardedText } from '@csp/grounding/answer-guard'
import { cleanText, oneLine } from '@csp/lib/text'
import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { nameField, optional } from '../../fields/field.ts'
import { lenient } from '../../fields/lenient.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { type McpTool, sourceSchema, sourceText, type ToolReply, toSource } from './tool.ts'

const turnSchema = z.object({
  role: nameField(['user', 'assistant']),
  content: z.string().transform((text) => cleanText(text, true)),
})

const fields = z.object({
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

const schema = lenient(fields, ['question'])

const evidenceSchema = z.object({
  sentence: z.string(),
  verdict: z.enum(verdicts),
  score: z.number().describe('How much was found, from 0 to 1'),
  sources: z.array(z.int()),
  passage: z.string().optional().describe('Where most of it stands'),
  missing: z
    .array(z.string())
    .optional()
    .describe('Figures, dates, quotations and names that are on none of the pages'),
  unseen: z
    .array(z.string())
    .optional()
    .describe('Other words that none of the pages has; a paraphrase also has such words'),
  doubt: z.string().optional().describe('Why it may say something else than the page'),
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
    evidence: z
      .array(evidenceSchema)
      .optional()
      .describe(
        'Which words of each cited sentence are on the pages that it cites, never whether they say it; left out when that was not compared',
      ),
    sources: z.array(sourceSchema.extend({ cited: z.boolean().describe('Whether a marker names it') })),
  }),
  parse,
  format,
}

function parse({ question, effort = 'standard', conversation = [] }: AskWebInput): SearchRequest {
  const history = conversation.map(({ role, content }) => ({ role, text: content }))
  return { query: question, history, want: 'answer', effort, filters: {} }
}

function format({ text, searches, citations, evidence = [] }: Answer): ToolReply {
  const cited = new Set(citations.map(({ number }) => number))
  const sources = sourcesOf(searches).map((page, index) => ({ page, number: index + 1, cited: cited.has(index + 1) }))
  // Sources that the answer does not cite are only in `sources`, so that a model reads no more than it needs.
  const shown = cited.size > 0 ? sources.filter((source) => source.cited) : sources
  const list = shown.map(({ page, number }) => sourceText({ ...page, snippet: undefined }, number)).join('\n')
  // The part that a model has to know; the rest is in `evidence`.
  const doubts = evidence.flatMap(({ sentence, verdict, missing = [], doubt, judge }) => {
    const named = missing.map((one) => `${one.kind} ${one.text}`).join(', ')
    if (named) return [`- on none of the pages that it cites: the ${named}: ${sentence}`]
    if (doubt) return [`- ${doubtText(doubt)}: ${sentence}`]
    const [denial] = concernsOf({ judge })
    if (denial) return [`- ${denial}: ${sentence}`]
    return verdict === 'not-found' ? [`- not found on the pages that it cites: ${sentence}`] : []
  })
  const parts = [
    text,
    ...(list ? [`Sources:\n${list}`] : []),
    // Together: half of a code span in one may pair with half of another.
    ...(doubts.length > 0 ? [`Check before use:\n${guardedText(doubts.map(oneLine).join('\n'))}`] : []),
  ]
  return {
    structured: {
      answer: text,
      ...(evidence.length > 0 && { evidence: evidence.map(toEvidence) }),
      sources: sources.map((source) => ({ ...toSource(source.page, source.number), cited: source.cited })),
    },
    text: parts.join('\n\n'),
  }
}

function toEvidence({ sentence, verdict, score, sources, passage, missing, unseen, doubt }: Evidence) {
  const found = {
    ...(passage && { passage: passage.text }),
    ...(missing && { missing: missing.map(({ text }) => text) }),
    ...(unseen && { unseen }),
    ...(doubt && { doubt: doubtText(doubt) }),
  }
  return { sentence, verdict, score, sources, ...found }
}
