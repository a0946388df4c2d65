import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Job, JobEvent } from '../../../domain/job.ts'
import type { SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { Frame } from '../../dialect.ts'
import { booleanField, ignoredFields, optional } from '../../fields/field.ts'
import { failureOf } from '../../http/failure-of.ts'
import type { JobDialect, JobView } from '../../serve/job-dialect.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { evidenceField } from '../shared/evidence.ts'
import { jsonText, researchJob, researchQuestion } from '../shared/research.ts'
import { usableSchema } from '../shared/schema.ts'
import { faviconOf } from '../shared/sources.ts'

const schema = z.object({
  input: researchQuestion,
  model: optional(z.enum(['mini', 'pro', 'auto'])),
  stream: optional(booleanField),
  output_schema: optional(z.record(z.string(), z.unknown())),
  citation_format: optional(z.enum(['numbered', 'mla', 'apa', 'chicago'])),
  // The key, where a client sends it so. The key check has read it.
  api_key: optional(z.unknown()),
})

type ResearchInput = z.output<typeof schema>

/** Tavily's research. Its markers `[n]` are 1-based into `sources`. */
export const tavilyResearch: JobDialect<ResearchInput> = {
  vendor: 'tavily',
  schema,
  reference: {
    summary: 'A report in the background, or streamed',
    example: { input: 'How do heat pumps work in the cold?', model: 'mini' },
  },
  parse({ input, model, output_schema }) {
    const wanted = output_schema && { type: 'object', ...output_schema }
    const effort = model === 'mini' ? 'low' : model === 'pro' ? 'high' : 'medium'
    return researchJob(input, effort, { schema: usableSchema(wanted, ['output_schema']) })
  },
  ignored: (input) => (input.citation_format === 'numbered' ? [] : ignoredFields(input, ['citation_format'])),
  format({ job, reply, answer, failure }) {
    const { input } = reply
    const head = {
      request_id: job.id,
      status: statuses[job.status],
      response_time: Math.round(reply.elapsedMs() / 1000),
    }
    const created_at = reply.createdAt.toISOString()
    if (!answer) return { ...head, created_at, input: input.input, model: modelOf(input), error: failure?.message }
    return {
      ...{ ...head, created_at },
      content: input.output_schema ? jsonText(answer.text) : answer.text,
      sources: sourcesOf(answer.searches).map(formatSource),
      ...evidenceField(answer),
    }
  },
  stream: streamResearch,
}

async function* streamResearch(
  view: JobView<ResearchInput>,
  events: AsyncIterable<JobEvent>,
): AsyncGenerator<Frame, void, undefined> {
  const { job, reply } = view
  const chunk = (delta: object) =>
    jsonFrame({
      id: job.id,
      object: 'chat.completion.chunk',
      model: modelOf(reply.input),
      created: Math.floor(job.createdAt / 1000),
      choices: [{ delta: { role: 'assistant', ...delta } }],
    })
  const sources = new Map<string, SearchResult>()
  let lastRun = 0
  try {
    for await (const { event, run } of events) {
      // A run that was interrupted has written nothing, and the next one finds its pages again.
      if (run !== lastRun) sources.clear()
      lastRun = run
      if (event.type === 'search-results')
        for (const row of event.results) if (!sources.has(row.url)) sources.set(row.url, row)
      const delta = deltaOf(event)
      if (delta) yield chunk(delta)
    }
    yield chunk({ sources: [...sources.values()].map(formatSource) })
    yield { event: 'done', data: '' }
  } catch (error) {
    const { status, message } = failureOf(error)
    yield jsonFrame({ id: job.id, object: 'error', error: message, status })
  }
}

function deltaOf(event: SearchEvent): object | undefined {
  switch (event.type) {
    case 'search-start': {
      const call = {
        name: 'WebSearch',
        id: event.id,
        arguments: `Searching for ${event.query}`,
        queries: [event.query],
      }
      return { tool_calls: { type: 'tool_call', tool_call: [call] } }
    }
    case 'search-results': {
      const response = {
        name: 'WebSearch',
        id: event.id,
        arguments: 'Search completed',
        sources: event.results.map(formatSource),
      }
      return { tool_calls: { type: 'tool_response', tool_response: [response] } }
    }
    case 'text-delta':
      return { content: event.text }
    default:
      return undefined
  }
}

function formatSource({ title, url }: SearchResult) {
  return { title, url, favicon: faviconOf(url) }
}

function modelOf({ model }: ResearchInput): string {
  return model === 'mini' ? 'mini' : 'pro'
}

const statuses = {
  queued: 'pending',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Record<Job['status'], string>
