import type { Doubt } from '../evidence.ts'
import type { Scan } from '../scan.ts'
import { onceIn } from './order.ts'

/** Two numbers that changed places while the words around them did not. */
export function numbersInOtherOrder(said: Scan, page: Scan): Doubt | undefined {
  const [own, its] = [numbersIn(said), numbersIn(page)]
  const [words, wordsThere] = [onceIn(said), onceIn(page)]
  const anchors = [...words].filter(([stem]) => wordsThere.has(stem) && !/^\d/.test(stem) && !own.has(Number(stem)))
  const shared = [...own].filter(([value]) => its.has(value))
  for (const [value, at] of shared) {
    for (const [other, behind] of shared) {
      const [there, thereBehind] = [its.get(value) ?? 0, its.get(other) ?? 0]
      // Only two numbers of which the first is the second there have changed places.
      if (at >= behind || there <= thereBehind) continue
      const around = anchors.filter(([, spot]) => spot >= at - maxAround && spot <= behind + maxAround)
      const isBetween = around.some(([stem, spot]) => {
        const thereSpot = wordsThere.get(stem) ?? 0
        return spot > at && spot < behind && thereSpot > thereBehind && thereSpot < there
      })
      if (!isBetween || around.length < 2) continue
      const places = around.map(([stem]) => wordsThere.get(stem) ?? 0)
      const inOrder = places.slice(1).filter((spot, index) => spot > (places[index] ?? 0)).length
      if (inOrder < (places.length - 1) * minInOrder) continue
      return { kind: 'order', said: `${value} … ${other}`, page: `${other} … ${value}` }
    }
  }
  return undefined
}

/** In words. */
const maxAround = 6
const minInOrder = 0.75

/** The numbers that stand once in a text. */
function numbersIn({ figures }: Scan): ReadonlyMap<number, number> {
  const places = new Map<number, number>()
  const twice = new Set<number>()
  for (const { values, at } of figures) {
    const value = values[0]?.value ?? 0
    if (places.has(value)) twice.add(value)
    places.set(value, at)
  }
  for (const value of twice) places.delete(value)
  return places
}
