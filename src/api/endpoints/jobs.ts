import type { Context } from 'hono'
import { accountOf } from '../../domain/account.ts'
import { sourcesOf } from '../../domain/answer.ts'
import type { Job, Jobs } from '../../domain/job.ts'
import { answerOfJob } from '../../domain/job-answer.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { Refusal } from '../exchange/refusal.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

const example = {
  id: '5f0c1e2d3b4a59687786958493a2b1c0',
  vendor: 'openai',
  kind: 'report',
  status: 'completed',
  question: 'how do bees show the way?',
  created_at: '2026-11-20T10:00:00.000Z',
  ended_at: '2026-11-20T10:02:05.000Z',
  error: null,
}

/** Lists the caller's jobs of all vendors, the newest first, for the page. Without jobs the list is empty. */
export const ownJobs: OwnEndpoint = {
  reference: {
    summary: 'The last twenty jobs of the caller, of all vendors, without their answers',
    reply: { object: 'list', data: [example] },
  },
  mount(app, paths, { jobs }) {
    app.on('GET', paths, async (context) => {
      const owner = accountOf(context.get('exchange').caller)
      const found = (await jobs?.list({ owner, limit: maxJobs })) ?? []
      return jsonReply(context, { object: 'list', data: found.map(formatJob) })
    })
  },
}

/** Returns one job of the caller with its answer, whatever vendor's route it was created by. Reads the parameter `id`. */
export const ownJob: OwnEndpoint = {
  reference: {
    summary: 'A job of the caller with its answer, sources, verdicts and receipt',
    reply: {
      object: 'job',
      ...example,
      pages: 14,
      answer: 'Bees dance. [1]',
      model: 'claude-sonnet-4-5',
      sources: [{ number: 1, title: 'Bees', url: 'https://example.com/bees', snippet: null, published_date: null }],
      evidence: [{ sentence: 'Bees dance.', verdict: 'found', score: 1, sources: [1] }],
      receipt: 'a3b1c05f0c1e2d3b4a59687786958492',
    },
    status: { 404: 'There is no such job for this key.' },
  },
  mount(app, paths, { jobs }) {
    app.on('GET', paths, async (context) => {
      const { job, store } = await jobOf(context, jobs)
      const events = await store.events(job.id)
      const pages = events.filter(({ event }) => event.type === 'research' && event.step.kind === 'page').length
      const answer = job.status === 'completed' ? await answerOfJob(events) : undefined
      return jsonReply(context, {
        object: 'job',
        ...formatJob(job),
        pages,
        answer: answer?.text ?? null,
        model: answer?.model ?? null,
        sources: sourcesOf(answer?.searches ?? []).map(({ title, url, snippet, publishedAt }, place) => ({
          number: place + 1,
          title,
          url,
          snippet: snippet ?? null,
          published_date: publishedAt ?? null,
        })),
        evidence: answer?.evidence?.map(({ start: _, end: __, ...one }) => one) ?? null,
        receipt: answer?.receipt?.id ?? null,
      })
    })
  },
}

/** Stops a job of the caller if it still runs, and forgets it. */
export const forgetJob: OwnEndpoint = {
  method: 'DELETE',
  reference: {
    summary: 'Stops a job of the caller if it still runs, and forgets it',
    reply: { object: 'job.deleted', id: example.id },
    status: { 404: 'There is no such job for this key.' },
  },
  mount(app, paths, { jobs }) {
    app.on('DELETE', paths, async (context) => {
      const { job, store } = await jobOf(context, jobs)
      await store.remove(job.id)
      return jsonReply(context, { object: 'job.deleted', id: job.id })
    })
  },
}

/** The job that the path names. Throws a `Refusal` where the caller has no such job. */
async function jobOf(context: Context<AppEnvironment>, store: Jobs | undefined): Promise<{ job: Job; store: Jobs }> {
  const id = context.req.param('id') ?? ''
  const job = /^[0-9a-f]{32}$/.test(id) ? await store?.get(id) : undefined
  if (store && job?.owner === accountOf(context.get('exchange').caller)) return { job, store }
  throw new Refusal('not-found', 'There is no such job; it may have been deleted.')
}

function formatJob({ id, vendor, status, request, createdAt, endedAt, failure }: Job) {
  return {
    id,
    vendor,
    kind: request.research ? 'report' : request.effort,
    status,
    question: request.query.slice(0, maxQuestion),
    created_at: new Date(createdAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    error: failure ?? null,
  }
}

const maxJobs = 20
const maxQuestion = 300
