import { z } from 'zod'
import type { BackendHealth, ExecutorHealth } from '../../../domain/health.ts'
import type { Fetcher } from '../../wire/fetcher.ts'

const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  version: z.string().optional(),
  backends: z.array(z.object({ name: z.string(), ready: z.boolean(), problem: z.string().optional() })).optional(),
})

/** Asks another csp how it stands, and waits 3 s for it. Never throws. */
export function remoteHealth(fetcher: Fetcher, name: string): () => Promise<ExecutorHealth> {
  return async () => {
    const backend = await ask(fetcher, name)
    return { ready: backend.ready, backends: [backend] }
  }
}

async function ask(fetcher: Fetcher, name: string): Promise<BackendHealth> {
  try {
    const signal = AbortSignal.timeout(longestWaitMs)
    const response = await fetcher.fetch(new Request('http://remote.invalid/health', { signal, redirect: 'manual' }))
    const found = healthSchema.safeParse(await response.json())
    if (!found.success) return { name, ready: false, problem: 'What answers there is no csp.' }
    const { status, version, backends } = found.data
    // Who is not known there learns no more than the status.
    if (!backends) return { name, ready: false, problem: 'It refuses our key.' }
    const problem = backends.find((backend) => !backend.ready)?.problem
    return { name, ready: status !== 'down', version, ...(problem !== undefined && { problem }) }
  } catch {
    return { name, ready: false, problem: 'It cannot be reached.' }
  }
}

const longestWaitMs = 3000
