import type { Hono } from 'hono'
import type { Jobs } from '../domain/job.ts'
import type { Receipts } from '../domain/receipt.ts'
import type { Watches } from '../domain/watches.ts'
import type { Executor } from '../executor/executor.ts'
import type { Meter } from '../executor/layers/metering/budget.ts'
import { ownJobs } from './endpoints/jobs.ts'
import { forgetMemory, type KeptMemory, memoryStats } from './endpoints/memory.ts'
import { type Metrics, metricsOf } from './endpoints/metrics.ts'
import { receiptList, receiptOf } from './endpoints/receipts/receipts.ts'
import { requests } from './endpoints/requests.ts'
import { beginSignIn, enterCode, type SignIn } from './endpoints/sign-in.ts'
import { usage } from './endpoints/usage.ts'
import { watchList } from './endpoints/watches.ts'
import type { AppEnvironment } from './http/exchange.ts'
import type { RecentRequests } from './http/recent-requests.ts'
import { mount } from './mount.ts'

/** What the routes about this server itself report. */
export interface OwnParts {
  readonly executor: Executor
  readonly budget: Meter | undefined
  readonly receipts: Pick<Receipts, 'read' | 'list'> | undefined
  readonly memory: KeptMemory | undefined
  readonly watches: Watches | undefined
  readonly jobs: Jobs | undefined
  readonly metrics: Metrics | undefined
  readonly signIn: SignIn | undefined
  readonly recent: RecentRequests
  readonly heartbeatMs: number
  readonly now: () => Date
}

/** Mounts the routes about this server itself that need a key where one is required. */
export function mountOwn(app: Hono<AppEnvironment>, parts: OwnParts, prefixes: readonly string[]): void {
  const { executor, metrics, signIn, heartbeatMs } = parts
  const [spent, last, receipt] = [usage(parts), requests(parts), receiptOf(parts.receipts)]
  const [jobs, watched, receipts] = [ownJobs(parts.jobs), watchList(parts.watches), receiptList(parts.receipts)]
  const [memory, forget] = [memoryStats(parts.memory), forgetMemory(parts.memory)]
  for (const prefix of prefixes) {
    mount(app, `${prefix}/usage`, { GET: spent, HEAD: spent })
    mount(app, `${prefix}/requests`, { GET: last, HEAD: last })
    mount(app, `${prefix}/receipts`, { GET: receipts, HEAD: receipts })
    mount(app, `${prefix}/memory`, { GET: memory, HEAD: memory, DELETE: forget })
    mount(app, `${prefix}/receipts/:id`, { GET: receipt, HEAD: receipt })
    mount(app, `${prefix}/watches`, { GET: watched, HEAD: watched })
    mount(app, `${prefix}/jobs`, { GET: jobs, HEAD: jobs })
    if (!signIn) continue
    mount(app, `${prefix}/sign-in`, { POST: beginSignIn({ executor, signIn, heartbeatMs }) })
    mount(app, `${prefix}/sign-in/code`, { POST: enterCode({ signIn }) })
  }
  const metricsHandler = metrics && metricsOf(metrics)
  if (metricsHandler) mount(app, '/metrics', { GET: metricsHandler, HEAD: metricsHandler })
}
