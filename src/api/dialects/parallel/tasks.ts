import { guardedText } from '@csp/grounding/answer-guard'
import { oneLine } from '@csp/lib/text'
import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Job } from '../../../domain/job.ts'
import type { Answer, JsonSchema, SearchEvent } from '../../../domain/search.ts'
import type { Frame } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { booleanField, optional } from '../../fields/field.ts'
import { countryField } from '../../fields/places.ts'
import { readQuery } from '../../fields/query.ts'
import { failureOf } from '../../http/failure-of.ts'
import type { JobDialect, JobView } from '../../serve/job-dialect.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { jsonText, researchJob, researchQuestion } from '../shared/research.ts'
import { passagesOf } from '../shared/row.ts'
import { usableSchema } from '../shared/schema.ts'
import { sourcePolicyField } from './fields.ts'

const jsonSchema = z.record(z.string(), z.unknown())
const outputSchema = z.union([
  z.string(),
  z.object({
    type: optional(z.enum(['json', 'text', 'auto'])),
    json_schema: optional(jsonSchema),
    description: optional(z.string()),
  }),
])

const schema = z.object({
  input: z.union([researchQuestion, jsonSchema]),
  processor: z.string().max(100),
  task_spec: optional(z.object({ output_schema: optional(outputSchema) })),
  source_policy: sourcePolicyField,
  advanced_settings: optional(z.object({ location: optional(countryField) })),
  metadata: optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
  // Events are kept of each run.
  enable_events: optional(booleanField),
})

type TaskInput = z.output<typeof schema>
type View = JobView<TaskInput>

/** Parallel's task runs. */
export const parallelTasks: JobDialect<TaskInput> = {
  vendor: 'parallel',
  idPrefix: 'trun_',
  schema,
  reference: {
    summary: 'A report in the background, or JSON by a schema',
    example: { input: 'How do heat pumps work in the cold?', processor: 'core' },
  },
  parse({ input, processor, task_spec, source_policy: policy, advanced_settings }) {
    const wanted = task_spec?.output_schema
    const described = typeof wanted === 'string' ? wanted : wanted?.description
    const question = typeof input === 'string' ? input : JSON.stringify(input)
    const query = readQuery(described ? `${question}\n\n${described}` : question, {
      maxCharacters: 15_000,
      keepLines: true,
    })
    if (typeof query !== 'string') throw refused(['input'], query.message)
    return researchJob(query, effortOf(processor), {
      schema: usableSchema(schemaIn(wanted), ['task_spec', 'output_schema', 'json_schema']),
      filters: {
        includeDomains: policy?.include_domains,
        excludeDomains: policy?.exclude_domains,
        publishedAfter: policy?.after_date,
        country: advanced_settings?.location,
      },
    })
  },
  format: formatRun,
  async *stream(view, events) {
    let known = 0
    try {
      yield jsonFrame({ type: 'task_run.state', event_id: null, run: formatRun(view) })
      for await (const { at, event, sequence } of events) {
        known = sequence
        const message = messageOf(event)
        if (message) yield jsonFrame({ ...message, timestamp: new Date(at).toISOString() })
      }
      yield stateFrame(view, known, 'completed')
    } catch (error) {
      const failure = failureOf(error)
      if (failure.code === 'cancelled') yield stateFrame(view, known, 'cancelled')
      else yield jsonFrame({ type: 'error', error: { ref_id: runId(view), message: failure.message } })
    }
  },
}

function schemaIn(wanted: z.output<typeof outputSchema> | undefined): JsonSchema | undefined {
  return typeof wanted === 'object' ? wanted.json_schema : undefined
}

/** A run and what it has brought. */
export function formatResult(view: View, answer: Answer): unknown {
  return { run: formatRun(view), output: outputOf(view, answer) }
}

function outputOf({ reply }: View, { text, searches, citations }: Answer) {
  const isJson = schemaIn(reply.input.task_spec?.output_schema) !== undefined
  const cited = new Set(citations.map(({ url }) => url))
  const rows = sourcesOf(searches).filter(({ url }) => cited.size === 0 || cited.has(url))
  const sources = rows.map((row) => ({ url: row.url, title: row.title, excerpts: passagesOf(row) }))
  const basis = [{ field: 'output', reasoning: '', citations: sources }]
  return isJson ? { type: 'json', content: jsonText(text), basis } : { type: 'text', content: text, basis }
}

function formatRun(view: View) {
  const { job, reply, failure } = view
  const { processor, metadata } = reply.input
  return {
    run_id: runId(view),
    interaction_id: runId(view),
    status: statuses[job.status],
    is_active: job.endedAt === undefined,
    processor,
    metadata,
    created_at: new Date(job.createdAt).toISOString(),
    modified_at: new Date(job.endedAt ?? job.startedAt ?? job.createdAt).toISOString(),
    error: failure ? { ref_id: runId(view), message: failure.message } : null,
    warnings: null,
  }
}

function runId({ job }: View): string {
  return `trun_${job.id}`
}

/** The last event of a run. */
function stateFrame(view: View, sequence: number, status: 'completed' | 'cancelled'): Frame {
  const run = { ...formatRun(view), status, is_active: false }
  return jsonFrame({ type: 'task_run.state', event_id: String(sequence), run })
}

function messageOf(event: SearchEvent): object | undefined {
  if (event.type === 'search-start') return { type: 'task_run.progress_msg.search', message: guardedText(event.query) }
  if (event.type !== 'research') return undefined
  const { step } = event
  if (step.kind === 'outline')
    return { type: 'task_run.progress_msg.plan', message: guardedText(step.questions.map(oneLine).join('\n')) }
  if (step.kind === 'page')
    return { type: 'task_run.progress_msg.result', message: `${guardedText(step.title)} ${step.url}`.trim() }
  return { type: 'task_run.progress_msg.exec_status', message: guardedText(step.text) }
}

/** The vendor has a dozen names: `lite`, `base`, `core`, `pro`, `ultra8x`, each also with `-fast`. */
function effortOf(processor: string) {
  if (/^(?:lite|base)/.test(processor)) return 'low'
  return /^(?:pro|ultra)/.test(processor) ? 'high' : 'medium'
}

const statuses = {
  queued: 'queued',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<Job['status'], string>
