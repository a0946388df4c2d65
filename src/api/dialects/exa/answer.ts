import { z } from 'zod'
import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import type { Search, SearchEvent } from '../../../domain/search.ts'
import { type Frame, type Reply, searchDialect } from '../../dialect.ts'
import { booleanField, optional } from '../../fields/field.ts'
import { countryField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { evidenceField } from '../shared/evidence.ts'
import { usableSchema } from '../shared/schema.ts'
import { exaError } from './error.ts'
import { exaCost, exaRow } from './search.ts'

const schema = z.object({
  query: queryField(ordinaryQuery),
  stream: optional(booleanField),
  text: optional(booleanField),
  model: withoutEffect(optional(z.string())),
  systemPrompt: optional(z.string()),
  outputSchema: optional(z.record(z.string(), z.unknown())),
  userLocation: optional(countryField),
})

type ExaAnswerInput = z.output<typeof schema>

/** Exa's answer to a question. Its markers `[n]` are 1-based into `citations`. */
export const exaAnswer = searchDialect({
  schema,
  reference: {
    summary: 'Written answer with citations',
    example: { query: 'How do heat pumps work in the cold?' },
  },
  parse: (input) => ({
    query: input.query,
    history: [],
    want: 'answer',
    effort: 'standard',
    instructions: input.systemPrompt,
    schema: usableSchema(input.outputSchema, ['outputSchema']),
    filters: { country: input.userLocation },
  }),
  format: (answer, { id, input }) => ({
    requestId: id,
    // The vendor returns structured output as JSON, not as text.
    answer: input.outputSchema ? JSON.parse(answer.text) : answer.text,
    citations: formatCitations(answer.searches, input),
    ...evidenceField(answer),
    costDollars: exaCost,
  }),
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    formatError: (failure, reply) => [jsonFrame(exaError(failure, reply).body)],
  },
})

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  { id, createdAt, input }: Reply<ExaAnswerInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const created = Math.floor(createdAt.getTime() / 1000)
  const chunk = (content: string, reason: 'stop' | null, more: object = {}) =>
    jsonFrame({
      id,
      object: 'chat.completion.chunk',
      created,
      model: input.model ?? 'exa',
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: reason }],
      ...more,
    })
  for await (const event of events) {
    fold.add(event)
    if (event.type === 'text-delta') yield chunk(event.text, null)
  }
  const answer = fold.finish()
  const citations = formatCitations(answer.searches, input)
  yield chunk('', 'stop', { citations, ...evidenceField(answer), costDollars: exaCost })
  yield { data: '[DONE]' }
}

function formatCitations(searches: readonly Search[], { text }: ExaAnswerInput): unknown {
  return sourcesOf(searches).map((row) => ({ ...exaRow(row), text: text ? (row.snippet ?? '') : undefined }))
}
