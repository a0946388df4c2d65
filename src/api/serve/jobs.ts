import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { accountOf } from '../../domain/account.ts'
import { SearchError } from '../../domain/error.ts'
import type { Job, JobEvent, Jobs } from '../../domain/job.ts'
import { answerOfJob } from '../../domain/job-answer.ts'
import type { Answer } from '../../domain/search.ts'
import type { Reply } from '../dialect.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { Refusal } from '../exchange/refusal.ts'
import { integerField, optional } from '../fields/field.ts'
import { failureOf } from '../http/failure-of.ts'
import { jsonReply } from '../http/json-reply.ts'
import { validate } from '../http/validate.ts'
import type { CreateHandler, HandlerEndpoint } from './endpoint.ts'
import { estimatePromptTokens, usageEstimator } from './estimate.ts'
import type { JobDialect, JobView } from './job-dialect.ts'
import { HeldText, modelRefused, refusalIn } from './model-refusal.ts'
import { jobReference } from './reference.ts'
import { nameIgnored, nameModel, type RouteOptions } from './serve-search.ts'
import { streamReply } from './stream-reply.ts'

/** The parts that handlers of jobs use. */
export interface JobCall<Input> {
  readonly context: Context<AppEnvironment>
  readonly view: JobView<Input>
  readonly jobs: Jobs
  /** The job as it is now. */
  again(): Promise<JobView<Input>>
  /** The job when it has ended, or as it is after so many seconds. */
  ended(seconds: number): Promise<JobView<Input>>
  /** Replies with the job as JSON: as it was found, or as another `view` has it. */
  reply(as?: { readonly view?: JobView<Input>; readonly status?: ContentfulStatusCode }): Response
  /** Replies with the events of the job, without the first so many frames. */
  streamed(skipped?: number): Promise<Response>
}

/** Replies to a request for a job. By default the reply is the job as JSON. */
type RespondWithJob<Input> = (call: JobCall<Input>) => Response | Promise<Response>

/** Keeps a request as a job, and replies with it. */
export function createsJobs<Input>(
  dialect: JobDialect<Input>,
  respond: RespondWithJob<Input> = (call) => call.reply(),
): HandlerEndpoint {
  const create: CreateHandler = (options) => async (context) => {
    const jobs = jobsOf(options)
    const exchange = context.get('exchange')
    const sent = await exchange.sent.input(Math.min(options.maximumBodyBytes, maxJobBytes))
    const input = validate(dialect.schema, sent)
    const request = dialect.parse(input, options.models())
    nameIgnored(context, dialect, input, sent)
    nameModel(context, dialect.model?.(input, options.models()), options)
    const owner = accountOf(exchange.caller)
    const job = await jobs.create({ owner, vendor: dialect.vendor, request, input: sent })
    return respond(await callOf(dialect, options, context, jobs, job))
  }
  return { kind: 'job', create, references: () => [jobReference(dialect)] }
}

/** Finds the job that the path names, among those of the caller, and replies with it. */
export function readsJob<Input>(
  dialect: JobDialect<Input>,
  summary: string,
  respond: RespondWithJob<Input> = (call) => call.reply(),
): HandlerEndpoint {
  const create: CreateHandler = (options) => async (context) => {
    const jobs = jobsOf(options)
    const { idPrefix = '', vendor } = dialect
    const sent = context.req.param('id') ?? ''
    const id = sent.startsWith(idPrefix) ? sent.slice(idPrefix.length) : ''
    const job = jobId.test(id) ? await jobs.get(id) : undefined
    const isOwn = job?.owner === accountOf(context.get('exchange').caller)
    if (!job || !isOwn || job.vendor !== vendor)
      throw new Refusal('not-found', 'There is no such job; it may have been deleted.')
    return respond(await callOf(dialect, options, context, jobs, job))
  }
  return { kind: 'job', create, references: () => [jobReference(dialect, summary)] }
}

/** A page of a list: the jobs as `format` has them, and the id of the last one where more follow. */
interface ListedJobs {
  readonly data: readonly unknown[]
  readonly next: string | undefined
}

/** Replies with the jobs of the caller, the newest first: `limit` of them, behind the one of `cursor` or `next_token`. */
export function listsJobs<Input>(
  dialect: JobDialect<Input>,
  summary: string,
  respond: (page: ListedJobs) => unknown,
): HandlerEndpoint {
  const create: CreateHandler = (options) => async (context) => {
    const jobs = jobsOf(options)
    const { cursor, next_token: token } = context.req.query()
    const { limit: count = 20 } = validate(listFields, { limit: context.req.query('limit') })
    const owner = accountOf(context.get('exchange').caller)
    const found = await jobs.list({ owner, vendor: dialect.vendor, limit: count + 1, before: cursor ?? token })
    const page = found.slice(0, count)
    const data = page.map((job) => dialect.format(viewOf(dialect, options, job, [], undefined)))
    return jsonReply(context, respond({ data, next: found.length > count ? page.at(-1)?.id : undefined }))
  }
  return { kind: 'job', create, references: () => [jobReference(dialect, summary)] }
}

/** The request is kept for a month, and read whenever the job is. */
const maxJobBytes = 256 * 1024

const listFields = z.object({ limit: optional(integerField(1, 100)) })

/** Throws a `Refusal` where this server runs no jobs. */
export function jobsOf({ jobs }: RouteOptions): Jobs {
  if (jobs) return jobs
  throw new Refusal(
    'jobs-off',
    'Background jobs are off here (--jobs, or this is the edge). Send the request to the route that answers at once.',
  )
}

const jobId = /^[0-9a-f]{32}$/

async function callOf<Input>(
  dialect: JobDialect<Input>,
  options: RouteOptions,
  context: Context<AppEnvironment>,
  jobs: Jobs,
  job: Job,
): Promise<JobCall<Input>> {
  const see = async (now: Job): Promise<JobView<Input>> => {
    const estimated = usageEstimator(estimatePromptTokens(now.request))
    const events = (await jobs.events(now.id)).map((each) => ({ ...each, event: estimated(each.event) }))
    const answer = now.status === 'completed' ? await answerOfJob(events) : undefined
    const failure = answer && !dialect.tellsRefusals ? refusalOf(now, answer) : undefined
    if (failure) return viewOf(dialect, options, { ...now, status: 'failed', failure }, events, undefined)
    return viewOf(dialect, options, now, events, answer)
  }
  const view = await see(job)
  const again = async () => see((await jobs.get(job.id)) ?? { ...job, status: 'cancelled', endedAt: Date.now() })
  const ended = async (seconds: number) => {
    context.get('exchange').keepOpen()
    const signal = AbortSignal.any([context.req.raw.signal, AbortSignal.timeout(seconds * 1000)])
    const isActive = async () => ((await jobs.state(job.id)) ?? { endedAt: 0 }).endedAt === undefined
    const leave = jobs.wait(job.id)
    try {
      while (!signal.aborted && (await isActive())) await jobs.changed(job.id, signal)
    } finally {
      leave()
    }
    return again()
  }
  return {
    context,
    jobs,
    view,
    again,
    ended,
    reply: ({ view: shown = view, status = 200 } = {}) => jsonReply(context, dialect.format(shown), status),
    streamed: (skipped = 0) => streamed(dialect, options, { context, jobs, view }, skipped),
  }
}

function viewOf<Input>(
  { schema }: JobDialect<Input>,
  { defaultModel }: RouteOptions,
  job: Job,
  events: readonly JobEvent[],
  answer: Answer | undefined,
): JobView<Input> {
  const { id, createdAt, endedAt, failure } = job
  const reply: Reply<Input> = {
    id,
    createdAt: new Date(createdAt),
    elapsedMs: () => (endedAt ?? Date.now()) - createdAt,
    input: validate(schema, job.input),
    promptTokens: estimatePromptTokens(job.request),
    defaultModel,
  }
  return { job, reply, events, answer, failure: failure && failureOf(thrown(failure)) }
}

/** The stored text of a failure may quote anything. */
function thrown({ code, message }: NonNullable<Job['failure']>): SearchError {
  return new SearchError(code, message, { forOthers: 'The job failed.' })
}

function refusalOf({ request }: Job, { reason, text }: Answer): SearchError | undefined {
  return request.schema && reason === 'refusal' ? modelRefused(refusalIn(text)) : undefined
}

/** The events of a job, those that are kept and those that come, until it has ended. Throws why it failed. */
async function* followed(
  jobs: Jobs,
  { id, request }: Job,
  signal: AbortSignal,
  tellsRefusals = false,
): AsyncGenerator<JobEvent, void, undefined> {
  let after = 0
  const held = new HeldText(request.schema !== undefined && !tellsRefusals)
  const estimated = usageEstimator(estimatePromptTokens(request))
  while (!signal.aborted) {
    // Before its events: those that come with its end are there, then.
    const job = await jobs.state(id)
    const news = await jobs.events(id, after)
    for (const each of news) {
      const passed = held.pass(estimated(each.event))
      if (held.refusal !== undefined) throw modelRefused(held.refusal)
      for (const event of passed) yield { ...each, event }
    }
    after = news.at(-1)?.sequence ?? after
    if (!job || job.status === 'cancelled') throw new SearchError('cancelled', 'The job was cancelled.')
    if (job.failure) throw thrown(job.failure)
    if (job.status === 'completed') return
    if (news.length === 0) await jobs.changed(id, signal)
  }
}

async function streamed<Input>(
  dialect: JobDialect<Input>,
  { heartbeatMs, maxUnreadMs }: RouteOptions,
  { context, jobs, view }: Pick<JobCall<Input>, 'context' | 'jobs' | 'view'>,
  skipped: number,
): Promise<Response> {
  const { stream } = dialect
  if (!stream) throw new Refusal('invalid-request', 'These jobs have no stream.')
  const leave = jobs.wait(view.job.id)
  const left = new AbortController()
  const signal = AbortSignal.any([context.req.raw.signal, left.signal])
  return streamReply(context, {
    frames: skip(stream(view, followed(jobs, view.job, signal, dialect.tellsRefusals)), skipped, leave),
    heartbeatMs,
    maxUnreadMs,
    // A vendor's stream says itself how its job ended.
    onError: () => [],
    stop: () => left.abort(),
  })
}

async function* skip<Item>(
  items: AsyncIterable<Item>,
  count: number,
  onEnd: () => void,
): AsyncGenerator<Item, void, undefined> {
  let left = count
  try {
    for await (const item of items) if (left-- <= 0) yield item
  } finally {
    onEnd()
  }
}
