import { isObject } from '@csp/lib/json'
import type { Handler } from 'hono'
import type { JobEvent } from '../../../domain/job.ts'
import { type Dialect, type Frame, onlyRequest } from '../../dialect.ts'
import type { AppEnvironment } from '../../exchange/exchange.ts'
import { refused } from '../../exchange/refusal.ts'
import { failureOf } from '../../http/failure-of.ts'
import type { JobDialect, JobView } from '../../serve/job-dialect.ts'
import { createsJobs } from '../../serve/jobs.ts'
import type { RouteOptions } from '../../serve/serve-search.ts'
import type { ResponsesInput } from './responses-input.ts'
import { ResponseWriter } from './responses-writer.ts'

/** Responses with `background: true`. */
export function backgroundResponses({
  schema,
  reference,
  parse,
  model = () => undefined,
  ignored = () => [],
}: Dialect<ResponsesInput>): JobDialect<ResponsesInput> {
  return {
    vendor: 'openai',
    idPrefix: 'resp_',
    schema,
    ignored,
    reference: { ...reference, example: { ...reference.example, background: true } },
    parse: (input, models) => onlyRequest(parse(input, models)),
    model,
    tellsRefusals: true,
    format: formatJob,
    stream: streamJob,
  }
}

/** Keeps a response as a job if it is to be answered in the background; otherwise `serve` answers it. */
export function backgroundOr(
  serve: Handler<AppEnvironment>,
  dialect: JobDialect<ResponsesInput>,
  options: RouteOptions,
): Handler<AppEnvironment> {
  const create = createsJobs(dialect, ({ view, reply, streamed }) =>
    view.reply.input.stream ? streamed() : reply(),
  ).create(options)
  return async (context, next) => {
    const body = await context.get('exchange').sent.json(options.maximumBodyBytes)
    if (!isObject(body) || body['background'] !== true) return serve(context, next)
    if (!options.jobs)
      throw refused(['background'], 'Background jobs are off here. Send the request without `background`')
    return create(context, next)
  }
}

function formatJob({ job, reply, events, failure }: JobView<ResponsesInput>): unknown {
  const writer = new ResponseWriter(reply)
  for (const { event } of events) writer.add(event)
  const status = job.status === 'running' || job.status === 'completed' ? 'in_progress' : job.status
  return writer.responseAs({ status, failure })
}

/**
 * The same frames with the same numbers whenever it is read, so that a reader can go on where it was. Searches of a run
 * that was interrupted stay, and those of the next come behind them.
 */
async function* streamJob(
  { reply }: JobView<ResponsesInput>,
  events: AsyncIterable<JobEvent>,
): AsyncGenerator<Frame, void, undefined> {
  const writer = new ResponseWriter(reply)
  yield writer.stateEvent('response.created', { status: 'queued' })
  yield writer.stateEvent('response.queued', { status: 'queued' })
  let hasBegun = false
  try {
    for await (const { event } of events) {
      if (!hasBegun) yield writer.stateEvent('response.in_progress', { status: 'in_progress' })
      hasBegun = true
      yield* writer.add(event)
    }
  } catch (error) {
    const failure = failureOf(error)
    // The vendor has no event for a response that was cancelled.
    const state =
      failure.code === 'cancelled' ? ({ status: 'cancelled' } as const) : { status: 'failed' as const, failure }
    yield writer.stateEvent('response.failed', state)
  }
}
