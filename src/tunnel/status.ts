import { z } from 'zod'
import type { ExecutorHealth } from '../domain/health.ts'
import type { Fetcher } from '../executor/wire/fetcher.ts'

const homeSchema = z.object({
  name: z.string(),
  /** ISO 8601. */
  connectedSince: z.string(),
  /** ISO 8601: its last ping or frame. */
  lastSeen: z.string(),
  running: z.number(),
  capacity: z.number(),
  draining: z.boolean(),
  /** Whether it owes an answer, and has not been heard of since. */
  silent: z.boolean(),
  /** From the last request to its acceptance, once there was one. */
  roundTripMs: z.number().optional(),
})

const statusSchema = z.object({ homes: z.array(homeSchema) })

/** Who is connected to the edge. */
export type TunnelStatus = z.infer<typeof statusSchema>

/** Asks the object that holds the tunnels who is connected. */
export async function tunnelStatus(tunnel: Fetcher): Promise<TunnelStatus> {
  const response = await tunnel.fetch(new Request('http://tunnel.invalid/__status'))
  return statusSchema.parse(await response.json())
}

/** How the homes stand, taken together as one backend. Never throws. */
export async function homesHealth(tunnel: Fetcher, name: string): Promise<ExecutorHealth> {
  try {
    const { homes } = await tunnelStatus(tunnel)
    const ready = homes.some(({ draining, silent }) => !draining && !silent)
    const problem = homes.length === 0 ? 'No home is connected. Run csp connect there.' : 'No home answers.'
    const engines = Object.fromEntries(homes.map((home) => [home.name, describe(home)]))
    return { ready, backends: [{ name, ready, ...(!ready && { problem }), engines }] }
  } catch {
    return { ready: false, backends: [{ name, ready: false, problem: 'The tunnel cannot be asked.' }] }
  }
}

function describe({ connectedSince, roundTripMs, running, draining, silent }: TunnelStatus['homes'][number]): string {
  return [
    silent ? 'does not answer' : draining ? 'is stopping' : 'ready',
    `connected since ${connectedSince}`,
    ...(roundTripMs !== undefined ? [`${roundTripMs} ms away`] : []),
    `${running} running`,
  ].join(', ')
}
