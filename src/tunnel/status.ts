import { z } from 'zod'
import type { ExecutorHealth } from '../domain/health.ts'
import type { Fetcher } from '../executor/wire/fetcher.ts'
import { objectPaths } from './protocol.ts'

const homeSchema = z.object({
  name: z.string(),
  /** ISO 8601. */
  connectedSince: z.string(),
  /** ISO 8601, of its last ping or frame. */
  lastSeen: z.string(),
  running: z.number(),
  capacity: z.number(),
  draining: z.boolean(),
  /** Whether it did not accept a request in time and has sent nothing since. */
  silent: z.boolean(),
  /** Why another home is asked first: what it said of itself, or how its last search failed. */
  problem: z.string().optional(),
  /** Time between the last request and its acceptance. Absent before the first. */
  roundTripMs: z.number().optional(),
})

const statusSchema = z.object({ homes: z.array(homeSchema) })

/** The homes that are connected to the edge. */
export type TunnelStatus = z.infer<typeof statusSchema>

/** Asks the Durable Object which homes are connected. */
export async function tunnelStatus(tunnel: Fetcher): Promise<TunnelStatus> {
  const response = await tunnel.fetch(new Request(`http://tunnel.invalid${objectPaths.status}`))
  return statusSchema.parse(await response.json())
}

/** The health of all homes as one backend. Never throws. */
export async function homesHealth(tunnel: Fetcher, name: string): Promise<ExecutorHealth> {
  try {
    const { homes } = await tunnelStatus(tunnel)
    const ready = homes.some((home) => !home.draining && !home.silent && home.problem === undefined)
    const said = homes.flatMap((home) => (home.problem !== undefined ? `${home.name}: ${home.problem}` : []))
    const absence = homes.length === 0 ? 'No home is connected. Run csp connect at home.' : 'No home answers.'
    const problem = said.length > 0 ? said.join(' ') : absence
    const engines = Object.fromEntries(homes.map((home) => [home.name, describe(home)]))
    return { ready, backends: [{ name, ready, ...(!ready && { problem }), engines }] }
  } catch {
    return { ready: false, backends: [{ name, ready: false, problem: 'The tunnel is not reachable.' }] }
  }
}

function describe(home: TunnelStatus['homes'][number]): string {
  const { connectedSince, roundTripMs, running, draining, silent, problem } = home
  return [
    silent ? 'does not answer' : draining ? 'is stopping' : problem === undefined ? 'ready' : `rests (${problem})`,
    `connected since ${connectedSince}`,
    ...(roundTripMs !== undefined ? [`${roundTripMs} ms away`] : []),
    `${running} running`,
  ].join(', ')
}
