/**
 * Runs a piece of work and returns the longest turn of the event loop meanwhile, in ms of a quiet machine: how long all other
 * callers of the same process waited at most. Time in which the machine ran something else does not count. What takes `most`
 * or longer is tried once more, and a slow or busy machine is allowed for: a slow reader is slow each time, a full heap is not.
 */
export async function longestTurn(work: () => unknown, most: number): Promise<number> {
  const first = await turnOf(work)
  return first < most ? first : Math.min(first, await turnOf(work)) / slowness()
}

async function turnOf(work: () => unknown): Promise<number> {
  let longest = 0
  let start = performance.now()
  let used = process.cpuUsage()
  const endTurn = () => {
    longest = Math.max(longest, Math.min(performance.now() - start, cpuSince(used)))
    start = performance.now()
    used = process.cpuUsage()
  }
  const ticks = setInterval(endTurn, 1)
  try {
    await work()
    endTurn()
  } finally {
    clearInterval(ticks)
  }
  return longest
}

/** The processor time since `used`, in ms. */
export function cpuSince(used: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(used)
  return (user + system) / 1000
}

/** What the known work takes on a quiet machine, in ms of its processor. */
const quietMs = 3

/** How many times as long as on a quiet machine this process takes now for a known piece of work; at least 1. */
function slowness(): number {
  const times = Array.from({ length: 5 }, () => {
    const used = process.cpuUsage()
    const counts = new Map<string, number>()
    for (const [word] of knownText.matchAll(/\w+|[^\w\s]/g)) counts.set(word, (counts.get(word) ?? 0) + word.length)
    return cpuSince(used)
  })
  return Math.max(1, (times.toSorted((left, right) => left - right)[2] ?? 0) / quietMs)
}

const knownText = Array.from({ length: 20_000 }, (_, at) => `word${at % 700}, `).join('')
