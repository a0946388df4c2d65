/** How often each of some items is among them. */
export function counted(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** Takes items out of counts, and returns how many of them were there, as a share. */
export function takeShare(items: readonly string[], counts: Map<string, number>): number {
  let found = 0
  for (const item of items) {
    const count = counts.get(item) ?? 0
    if (count === 0) continue
    found++
    counts.set(item, count - 1)
  }
  return items.length > 0 ? found / items.length : 0
}
