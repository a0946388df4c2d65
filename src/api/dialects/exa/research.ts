import { z } from 'zod'
import type { Job, JobEvent } from '../../../domain/job.ts'
import type { SearchEvent } from '../../../domain/search.ts'
import type { Frame } from '../../dialect.ts'
import { optional } from '../../fields/field.ts'
import { failureOf } from '../../http/failure.ts'
import type { JobDialect, JobView } from '../../serve/job-dialect.ts'
import { jsonText, researchJob, researchQuestion } from '../shared/research-job.ts'
import { usableSchema } from '../shared/schema.ts'

const efforts = { 'exa-research-fast': 'low', 'exa-research': 'medium', 'exa-research-pro': 'high' } as const

const schema = z.object({
  instructions: researchQuestion,
  model: optional(z.enum(['exa-research-fast', 'exa-research', 'exa-research-pro'])),
  outputSchema: optional(z.record(z.string(), z.unknown())),
})

type ResearchInput = z.output<typeof schema>
type View = JobView<ResearchInput>

/** Exa's research. */
export const exaResearch: JobDialect<ResearchInput> = {
  vendor: 'exa',
  schema,
  reference: {
    summary: 'A report in the background',
    example: { instructions: 'How do heat pumps work in the cold?', model: 'exa-research' },
  },
  parse: ({ instructions, model = 'exa-research', outputSchema }) =>
    researchJob(instructions, efforts[model], { schema: usableSchema(outputSchema, ['outputSchema']) }),
  format: (view) => formatResearch(view),
  async *stream(view, events) {
    const head = headOf(view)
    const stepOf = createSteps()
    yield frame(definition(view))
    let text = ''
    try {
      for await (const { at, event } of events) {
        if (event.type === 'text-delta') text += event.text
        const step = stepOf(event)
        if (step) yield frame({ ...head, createdAt: at, ...step })
      }
      yield frame(outputEvent(view, text, Date.now()))
    } catch (error) {
      const output = { outputType: 'failed', error: failureOf(error).message }
      yield frame({ ...head, createdAt: Date.now(), eventType: 'research-output', output })
    }
  },
}

/** The same with the events so far. */
export const withEvents: JobDialect<ResearchInput> = {
  ...exaResearch,
  format: (view) => ({ ...formatResearch(view), events: eventsOf(view) }),
}

function formatResearch(view: View) {
  const { job, reply, answer, failure, events } = view
  const { instructions, outputSchema, model = 'exa-research' } = reply.input
  return {
    ...{
      researchId: job.id,
      createdAt: job.createdAt,
      model,
      instructions,
      outputSchema,
      status: statuses[job.status],
    },
    ...(job.endedAt !== undefined && { finishedAt: job.endedAt }),
    ...(answer && { output: outputOf(view, answer.text), costDollars: costOf(events) }),
    ...(failure && { error: failure.message }),
  }
}

function eventsOf(view: View): readonly unknown[] {
  const { job, answer, events } = view
  const stepOf = createSteps()
  const steps = events.flatMap(({ at, event }) => {
    const step = stepOf(event)
    return step ? [{ ...headOf(view), createdAt: at, ...step }] : []
  })
  const last = answer && job.endedAt !== undefined ? [outputEvent(view, answer.text, job.endedAt)] : []
  return [definition(view), ...steps, ...last]
}

function headOf({ job }: View) {
  return { researchId: job.id }
}

function definition(view: View) {
  const { job, reply } = view
  const { instructions, outputSchema } = reply.input
  return { ...headOf(view), createdAt: job.createdAt, eventType: 'research-definition', instructions, outputSchema }
}

function outputEvent(view: View, text: string, createdAt: number) {
  const output = { outputType: 'completed', ...outputOf(view, text), costDollars: costOf(view.events) }
  return { ...headOf(view), createdAt, eventType: 'research-output', output }
}

function outputOf({ reply }: View, text: string) {
  return { content: text, ...(reply.input.outputSchema && { parsed: jsonText(text) }) }
}

/** One plan, which searches and reads. */
const planId = 'plan-1'

/** What the vendor's events say of those of a search. */
function createSteps(): (event: SearchEvent) => VendorEvent | undefined {
  const queries = new Map<string, string>()
  const operation = (operationId: string, data: object) => ({ eventType: 'plan-operation', planId, operationId, data })
  return (event) => {
    if (event.type === 'search-start') queries.set(event.id, event.query)
    if (event.type === 'search-results') {
      const results = event.results.map(({ url }) => ({ url }))
      const query = queries.get(event.id) ?? ''
      return operation(event.id, { type: 'search', searchType: 'auto', query, results, pageTokens: 0 })
    }
    if (event.type !== 'research') return undefined
    const { step } = event
    if (step.kind === 'page') return operation(step.url, { type: 'crawl', result: { url: step.url }, pageTokens: 0 })
    if (step.kind === 'note') return operation('note', { type: 'think', content: step.text })
    const output = { outputType: 'tasks', reasoning: '', tasksInstructions: step.questions }
    return { eventType: 'plan-output', planId, output }
  }
}

/** A subscription is not billed by the request. */
function costOf(events: readonly JobEvent[]) {
  const count = (holds: (event: SearchEvent) => boolean) => events.filter(({ event }) => holds(event)).length
  return {
    total: 0,
    numSearches: count(({ type }) => type === 'search-start'),
    numPages: count((event) => event.type === 'research' && event.step.kind === 'page'),
    reasoningTokens: 0,
  }
}

interface VendorEvent extends Readonly<Record<string, unknown>> {
  readonly eventType: string
}

/** The client skips the first line of each event. */
function frame(body: VendorEvent): Frame {
  return { event: body.eventType, data: JSON.stringify(body) }
}

const statuses = {
  queued: 'pending',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'canceled',
} as const satisfies Record<Job['status'], string>
