import { createHash } from 'node:crypto'

/** Rules are tuned on one half of a set and reported on the other. */
export type Half = 'tuning' | 'held out'

export const halves: readonly Half[] = ['tuning', 'held out']

/** The half of an item, by a hash of its name alone: the same in each run, whatever the set is read from. */
export function halfOf(id: string): Half {
  return createHash('sha256').update(id).digest().readUInt8(0) % 2 === 0 ? 'tuning' : 'held out'
}

/** A measure of some items, with its 95 % interval by bootstrap over them. Always draws the same samples. */
export function withInterval<Item>(items: readonly Item[], measure: (items: readonly Item[]) => number): string {
  if (items.length === 0) return ''
  const random = generator(22)
  const draw = (): readonly Item[] => items.map((item) => items[Math.floor(random() * items.length)] ?? item)
  const drawn = Array.from({ length: rounds }, () => measure(draw())).toSorted((a, b) => a - b)
  const at = (share: number) => percent(drawn[Math.floor(share * (rounds - 1))] ?? Number.NaN)
  return `${percent(measure(items))} (${at(0.025)} to ${at(0.975)})`
}

export function percent(share: number): string {
  return (share * 100).toFixed(1)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

const rounds = 400

/** The generator mulberry32. */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
