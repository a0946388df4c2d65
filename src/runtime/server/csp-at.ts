import { z } from 'zod'
import { identityHeader } from '../../api/endpoints/health.ts'
import type { SearchState } from '../../domain/search-state.ts'

/** What a csp says of itself. */
export interface RunningCsp {
  /** Absent without its key, and while it looks at its backends. */
  readonly version?: string | undefined
  /** Why it refuses what comes through a proxy, if it has done so. */
  readonly refusedProxy?: string | undefined
  /** Whether it is on the sandbox. */
  readonly isSandbox?: boolean | undefined
  /** Whether a backend of it has no login. */
  readonly isSignedOut?: boolean | undefined
  /** What it can search now. Absent without its key. */
  readonly searches?: SearchState | undefined
  /** The keys of its upstreams that rest, in words. */
  readonly restingKeys?: readonly string[] | undefined
  /** Its name and version, as far as they are known, for messages. */
  readonly title: string
}

/** The csp that listens at an address, if one does. It says more to those who have its key, and who wait. */
export async function cspAt(url: string, key?: string, waitMs?: number): Promise<RunningCsp | undefined> {
  try {
    const response = await ask(`${url}/health`, key, waitMs)
    const { version, refused_proxy, searches, sandbox, backends, rows } = statementSchema.parse(await response.json())
    if (!isCsp(response) && version === undefined) return undefined
    const title = version ? `csp ${version}` : 'csp'
    const isSignedOut = backends?.some(({ signed_in }) => signed_in === false)
    const restingKeys = rows?.flatMap(({ name, details = [] }) =>
      name.startsWith('Upstream ') ? details.map((detail) => `${name}: ${detail}`) : [],
    )
    return {
      version,
      refusedProxy: refused_proxy?.problem,
      searches,
      isSandbox: sandbox,
      isSignedOut,
      restingKeys,
      title,
    }
  } catch {
    // Where its CLI is only just starting, it may take longer to say how it is than that it is there.
    return (await isCspAt(url, key)) ? { title: 'csp' } : undefined
  }
}

/** Whether a csp answers at an address, at once. */
export async function isCspAt(url: string, key?: string): Promise<boolean> {
  return (await livenessAt(url, key)) === 'csp'
}

/** What answers at an address, at once. */
export async function livenessAt(url: string, key?: string, waitMs?: number): Promise<'csp' | 'other' | 'nothing'> {
  try {
    const response = await ask(`${url}/health/live`, key, waitMs)
    return response.ok && isCsp(response) ? 'csp' : 'other'
  } catch {
    return 'nothing'
  }
}

function ask(url: string, key: string | undefined, waitMs = 1000): Promise<Response> {
  return globalThis.fetch(url, {
    headers: key ? { authorization: `Bearer ${key}` } : {},
    signal: AbortSignal.timeout(waitMs),
    redirect: 'manual',
  })
}

const isCsp = ({ headers }: Response) => headers.has(identityHeader)

const statementSchema = z.object({
  status: z.string(),
  version: z.string().optional(),
  sandbox: z.boolean().optional().catch(undefined),
  backends: z
    .array(z.object({ signed_in: z.boolean().nullish() }))
    .optional()
    .catch(undefined),
  searches: z
    .object({
      status: z.enum(['ok', 'degraded', 'limited', 'signed-out', 'down']),
      text: z.string(),
      until: z.string().optional(),
      from_memory: z.boolean(),
    })
    .transform(({ from_memory: fromMemory, ...rest }): SearchState => ({ ...rest, fromMemory }))
    .optional()
    .catch(undefined),
  rows: z
    .array(z.object({ name: z.string(), details: z.array(z.string()).optional() }))
    .optional()
    .catch(undefined),
  refused_proxy: z.object({ problem: z.string() }).nullish().catch(undefined),
})
