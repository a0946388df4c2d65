import type { StandIn } from './stand-in.ts'
import { type Summary, summarise } from './statistics.ts'

/** The cost of a strategy, measured by the client over the whole request. */
export interface StrategyResult {
  readonly strategy: string
  readonly totalMs: Summary
  /** Delay between the first text of the stand-in and that of the client, for streams only. */
  readonly textDelayMs?: Summary | undefined
  readonly callsPerSearch: number
  /** Total size of the API requests of one search. */
  readonly bytesPerSearch: number
}

interface Strategy {
  readonly name: string
  readonly rounds: number
  readonly streams: boolean
  readonly request: (query: string) => Request
}

/** Runs each strategy, one search at a time, each with a different query. */
export async function measureStrategies(url: string, standIn: StandIn): Promise<readonly StrategyResult[]> {
  const results: StrategyResult[] = []
  for (const strategy of strategiesOf(url)) results.push(await measure(strategy, standIn))
  return results
}

/** The time that twenty concurrent searches take, in ms. */
export async function measureParallel(url: string, rounds: number): Promise<Summary> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: 20 }, (_, index) => read(results(url, `parallel ${round} ${index}`))))
    times.push(performance.now() - startedAt)
  }
  return summarise(times)
}

function strategiesOf(url: string): readonly Strategy[] {
  const chatWith = (model: string) => (query: string) => chat(url, model, query)
  return [
    { name: 'results', rounds: 200, streams: false, request: (query) => results(url, query) },
    { name: 'answer, fast', rounds: 200, streams: false, request: chatWith('sonar') },
    { name: 'answer, standard', rounds: 100, streams: true, request: chatWith('sonar-pro') },
    { name: 'answer, deep', rounds: 100, streams: true, request: chatWith('sonar-reasoning-pro') },
  ]
}

async function measure(strategy: Strategy, standIn: StandIn): Promise<StrategyResult> {
  for (let round = 0; round < 5; round++) await read(strategy.request(`warm ${strategy.name} ${round}`))
  const before = standIn.sandbox.stats()
  const totals: number[] = []
  const delays: number[] = []
  for (let round = 0; round < strategy.rounds; round++) {
    const startedAt = performance.now()
    const textAt = await read(strategy.request(`${strategy.name} number ${round}`))
    totals.push(performance.now() - startedAt)
    if (strategy.streams) delays.push(textAt - standIn.firstTextAt())
    await Bun.sleep(40) // A pause as between the searches of one person, in which the session is cleared.
  }
  const after = standIn.sandbox.stats()
  return {
    strategy: strategy.name,
    totalMs: summarise(totals),
    textDelayMs: strategy.streams ? summarise(delays) : undefined,
    callsPerSearch: (after.calls - before.calls) / strategy.rounds,
    bytesPerSearch: Math.round((after.bytes - before.bytes) / strategy.rounds),
  }
}

/** Reads a whole reply and returns the time of its first text. Throws if the request failed. */
export async function read(request: Request): Promise<number> {
  const response = await fetch(request)
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`)
  const decoder = new TextDecoder()
  let textAt = Number.NaN
  for await (const chunk of response.body) {
    if (Number.isNaN(textAt) && /"content":"[^"]/.test(decoder.decode(chunk))) textAt = performance.now()
  }
  return textAt
}

/** A list of results. */
export function results(url: string, query: string): Request {
  return new Request(`${url}/res/v1/web/search?q=${encodeURIComponent(query)}`)
}

/** A streamed answer. */
export function chat(url: string, model: string, query: string, more: object = {}): Request {
  return new Request(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: query }], ...more }),
  })
}
