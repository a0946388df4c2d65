import type { StandIn } from './stand-in.ts'
import { type Summary, summarise } from './statistics.ts'

/** What a road costs, measured from outside: the whole request, as a client sees it. */
export interface RoadResult {
  readonly road: string
  readonly totalMs: Summary
  /** From the moment the stand-in sends its first text to the client's first text; only of streams. */
  readonly textDelayMs?: Summary | undefined
  readonly callsPerSearch: number
  /** Bytes of the requests that one search sends to the API. */
  readonly bytesPerSearch: number
}

interface Road {
  readonly name: string
  readonly rounds: number
  readonly streams: boolean
  readonly request: (query: string) => Request
}

/** Runs every road one search at a time, each with a query of its own. */
export async function measureRoads(url: string, standIn: StandIn): Promise<readonly RoadResult[]> {
  const results: RoadResult[] = []
  for (const road of roadsOf(url)) results.push(await measure(road, standIn))
  return results
}

/** How long twenty searches take that are sent at the same time, in ms. */
export async function measureParallel(url: string, rounds: number): Promise<Summary> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 20 }, (_, index) => read(results(url, `parallel ${round} ${index}`))))
    times.push(performance.now() - startedAt)
  }
  return summarise(times)
}

function roadsOf(url: string): readonly Road[] {
  const chat = (model: string) => (query: string) =>
    post(`${url}/chat/completions`, { model, stream: true, messages: [{ role: 'user', content: query }] })
  return [
    { name: 'results', rounds: 200, streams: false, request: (query) => results(url, query) },
    { name: 'answer, fast', rounds: 200, streams: false, request: chat('sonar') },
    { name: 'answer, standard', rounds: 100, streams: true, request: chat('sonar-pro') },
    { name: 'answer, deep', rounds: 100, streams: true, request: chat('sonar-reasoning-pro') },
  ]
}

async function measure(road: Road, standIn: StandIn): Promise<RoadResult> {
  for (let round = 0; round < 5; round++) await read(road.request(`warm ${road.name} ${round}`))
  const before = standIn.sandbox.stats()
  const totals: number[] = []
  const delays: number[] = []
  for (let round = 0; round < road.rounds; round++) {
    const startedAt = performance.now()
    const textAt = await read(road.request(`${road.name} number ${round}`))
    totals.push(performance.now() - startedAt)
    if (road.streams) delays.push(textAt - standIn.firstTextAt())
    await Bun.sleep(40) // searches of one person are not back to back: the session is cleared meanwhile
  }
  const after = standIn.sandbox.stats()
  return {
    road: road.name,
    totalMs: summarise(totals),
    textDelayMs: road.streams ? summarise(delays) : undefined,
    callsPerSearch: (after.calls - before.calls) / road.rounds,
    bytesPerSearch: Math.round((after.bytes - before.bytes) / road.rounds),
  }
}

/** Reads a reply to its end; returns when its first text came. Throws when it is not a success. */
async function read(request: Request): Promise<number> {
  const response = await fetch(request)
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`)
  const decoder = new TextDecoder()
  let textAt = Number.NaN
  for await (const chunk of response.body) {
    if (Number.isNaN(textAt) && /"content":"[^"]/.test(decoder.decode(chunk))) textAt = performance.now()
  }
  return textAt
}

function results(url: string, query: string): Request {
  return new Request(`${url}/res/v1/web/search?q=${encodeURIComponent(query)}`)
}

function post(url: string, body: unknown): Request {
  return new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
