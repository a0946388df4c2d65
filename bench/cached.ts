import { type Summary, summarise } from './statistics.ts'

export interface CachedResult {
  /** One request at a time, in ms. */
  readonly one: Summary
  /** Replies per second with 32 concurrent requests. */
  readonly perSecond: number
}

/** Measures cached replies. */
export async function measureCached(url: string): Promise<CachedResult> {
  const address = `${url}/res/v1/web/search?q=a+question+that+is+asked+again`
  const ask = async () => {
    const response = await fetch(address)
    await response.arrayBuffer()
    return response.headers.get('x-cache')
  }
  await ask()
  for (let round = 0; round < 500; round++) await ask()
  const times: number[] = []
  for (let round = 0; round < 2000; round++) {
    const startedAt = performance.now()
    const status = await ask()
    times.push(performance.now() - startedAt)
    if (status !== 'hit') throw new Error(`The reply was a ${status}, not a hit.`)
  }
  return { one: summarise(times), perSecond: await throughput(ask) }
}

async function throughput(ask: () => Promise<unknown>): Promise<number> {
  const total = 30_000
  let left = total
  const startedAt = performance.now()
  const client = async () => {
    while (left-- > 0) await ask()
  }
  await Promise.all(Array.from({ length: 32 }, client))
  return Math.round(total / ((performance.now() - startedAt) / 1000))
}
