import type { CspProcess } from '../tests/support/csp-process.ts'

export interface MemoryPoint {
  readonly searches: number
  readonly mb: number
}

/** Resident memory of csp itself during this number of searches of all kinds, ten at a time. */
export async function measureMemory({ url, memoryMb }: CspProcess, searches: number): Promise<readonly MemoryPoint[]> {
  const points: MemoryPoint[] = [{ searches: 0, mb: memoryMb() }]
  for (let done = 0; done < searches; done += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => search(url, done + index)))
    if ((done + 10) % (searches / 4) === 0) points.push({ searches: done + 10, mb: memoryMb() })
  }
  return points
}

/** Mostly lists of results, and every twentieth an answer of each kind. */
async function search(url: string, number: number): Promise<void> {
  const models = ['sonar', 'sonar-pro', 'sonar-reasoning-pro']
  const model = number % 20 < models.length ? models[number % 20] : undefined
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: `memory ${number}` }] })
  const response = model
    ? await fetch(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    : await fetch(`${url}/res/v1/web/search?q=memory+${number}`)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`A search failed with ${response.status}.`)
}
