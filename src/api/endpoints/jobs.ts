import { accountOf } from '../../domain/account.ts'
import type { Job } from '../../domain/job.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

/** Lists the caller's jobs of all vendors, the newest first, for the page. Without jobs the list is empty. */
export const ownJobs: OwnEndpoint = {
  reference: {
    summary: 'The last twenty jobs of the caller, of all vendors, without their answers',
    reply: {
      object: 'list',
      data: [
        {
          id: '5f0c1e2d3b4a59687786958493a2b1c0',
          vendor: 'openai',
          status: 'running',
          question: 'how do bees show the way?',
          created_at: '2026-11-20T10:00:00.000Z',
          ended_at: null,
          error: null,
        },
      ],
    },
  },
  mount(app, paths, { jobs }) {
    app.on('GET', paths, async (context) => {
      const owner = accountOf(context.get('exchange').caller)
      const found = (await jobs?.list({ owner, limit: maxJobs })) ?? []
      return jsonReply(context, { object: 'list', data: found.map(formatJob) })
    })
  },
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
