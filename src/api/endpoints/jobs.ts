import type { Handler } from 'hono'
import { accountOf } from '../../domain/account.ts'
import type { Job, Jobs } from '../../domain/job.ts'
import type { AppEnvironment } from '../http/exchange.ts'
import { jsonReply } from '../http/json-reply.ts'

/** Lists the caller's jobs of all vendors, the newest first, for the page. Without jobs the list is empty. */
export function ownJobs(jobs: Pick<Jobs, 'list'> | undefined): Handler<AppEnvironment> {
  return async (context) => {
    const owner = accountOf(context.get('exchange').caller)
    const found = (await jobs?.list({ owner, limit: maxJobs })) ?? []
    return jsonReply(context, { object: 'list', data: found.map(formatJob) })
  }
}

function formatJob({ id, vendor, status, request, createdAt, endedAt, failure }: Job) {
  return {
    id,
    vendor,
    status,
    question: request.query.slice(0, maxQuestion),
    created_at: new Date(createdAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    error: failure ?? null,
  }
}

const maxJobs = 20
const maxQuestion = 300
