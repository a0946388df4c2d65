import { z } from 'zod'
import type { Job } from '../../../domain/job.ts'
import { optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import type { JobDialect, JobView } from '../../serve/job-dialect.ts'
import { chatInput, readChat } from '../shared/chat/input.ts'
import { ignoredFilters } from '../shared/perplexity-filters.ts'
import { perplexityChat } from './chat.ts'

const schema = z.object({ request: chatInput, idempotency_key: withoutEffect(optional(z.string())) })

type AsyncInput = z.output<typeof schema>

/** Perplexity's chat completions in the background. */
export const perplexityAsync: JobDialect<AsyncInput> = {
  vendor: 'perplexity',
  schema,
  reference: {
    summary: 'Written answer in the background',
    example: {
      request: {
        model: 'sonar-deep-research',
        messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }],
      },
    },
  },
  parse: ({ request }, models) => readChat(request, models),
  model: ({ request }) => request.model,
  ignored: ({ request }) => ignoredFilters(request).map((name) => `request.${name}`),
  format: (view) => ({
    ...formatAsync(view),
    response: view.answer
      ? perplexityChat.format(view.answer, { ...view.reply, input: view.reply.input.request })
      : null,
  }),
}

/** The job without its answer. */
function formatAsync({ job, reply, failure }: JobView<AsyncInput>) {
  const ended = job.endedAt === undefined ? null : seconds(job.endedAt)
  const isDone = job.status === 'completed'
  return {
    id: job.id,
    model: reply.input.request.model ?? 'sonar-pro',
    created_at: seconds(job.createdAt),
    started_at: job.startedAt === undefined ? null : seconds(job.startedAt),
    completed_at: isDone ? ended : null,
    failed_at: isDone ? null : ended,
    error_message: failure?.message ?? (job.status === 'cancelled' ? 'The job was cancelled.' : null),
    status: statuses[job.status],
  }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

const statuses = {
  queued: 'CREATED',
  running: 'IN_PROGRESS',
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'FAILED',
} as const satisfies Record<Job['status'], string>
