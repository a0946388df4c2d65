import { z } from 'zod'
import { connectPath } from '../../../tunnel/protocol.ts'

/** Why an edge does not take this home in. */
export interface EdgeRefusal {
  /** As the edge puts it, or `no-edge`. */
  readonly code: string
  /** What to do about it. */
  readonly message: string
}

const refusalSchema = z.object({ type: z.literal('error'), code: z.string(), message: z.string().max(1000) })

/**
 * Asks an edge why a WebSocket did not open, which the socket itself cannot tell. Nothing: it would have, or the edge
 * cannot be reached now; trying again may help.
 */
export async function refusalOf(edge: string, authorization: string): Promise<EdgeRefusal | undefined> {
  try {
    const response = await fetch(`${edge}${connectPath}`, {
      headers: { authorization },
      redirect: 'manual',
      signal: AbortSignal.timeout(maxWaitMs),
    })
    const told = refusalSchema.safeParse(await response.json().catch(() => undefined)).data
    if (told && told.code !== 'upgrade' && told.code !== 'unavailable') return told
    if (told || response.status >= 500) return undefined
    return { code: 'no-edge', message: `There is no csp edge at ${edge} (status ${response.status}).` }
  } catch {
    return undefined
  }
}

const maxWaitMs = 5000
