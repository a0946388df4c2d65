/**
 * Runs a piece of work and returns the longest turn of the event loop meanwhile, in ms: how long all other callers of the
 * same process waited at most. Time in which the machine ran something else does not count.
 */
export async function longestTurn(work: () => unknown): Promise<number> {
  let longest = 0
  let start = performance.now()
  let used = process.cpuUsage()
  const endTurn = () => {
    const { user, system } = process.cpuUsage(used)
    longest = Math.max(longest, Math.min(performance.now() - start, (user + system) / 1000))
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

/** The same of a second try where the first took too long: a reader that is slow is slow each time, a full heap is not. */
export async function longestTurnOfTwo(work: () => unknown, most: number): Promise<number> {
  const first = await longestTurn(work)
  return first < most ? first : Math.min(first, await longestTurn(work))
}
