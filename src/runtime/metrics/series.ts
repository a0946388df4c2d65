import type { Family, Labels, Sample } from './families.ts'

/** What is counted since the start. */
export class Counter {
  readonly #about: Pick<Family, 'name' | 'help'>
  readonly #series: Series<{ count: number }>

  constructor(name: string, help: string) {
    this.#about = { name, help }
    this.#series = new Series(() => ({ count: 0 }))
  }

  add(labels: Labels, by = 1): void {
    if (by > 0) this.#series.of(labels).count += by
  }

  get family(): Family {
    const samples = this.#series.all.map(({ labels, value }) => ({ labels, value: value.count }))
    return { ...this.#about, type: 'counter', samples }
  }
}

/** How long things took, in seconds. */
export class Histogram {
  readonly #about: Pick<Family, 'name' | 'help'>
  readonly #series: Series<{ readonly counts: number[]; sum: number; count: number }>

  constructor(name: string, help: string) {
    this.#about = { name, help }
    this.#series = new Series(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }))
  }

  observe(labels: Labels, seconds: number): void {
    const value = this.#series.of(labels)
    const at = bounds.findIndex((bound) => seconds <= bound)
    if (at >= 0) value.counts[at] = (value.counts[at] ?? 0) + 1
    value.sum += seconds
    value.count++
  }

  get family(): Family {
    const samples = this.#series.all.flatMap(({ labels, value: { counts, sum, count } }): readonly Sample[] => {
      let below = 0
      const buckets = bounds.map((bound, at) => {
        below += counts[at] ?? 0
        return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below }
      })
      const whole = { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count }
      return [...buckets, whole, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }]
    })
    return { ...this.#about, type: 'histogram', samples }
  }
}

/** From an answer of the cache to an agent's search of some minutes. */
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300]

/** The values of one metric by their labels; so many of them, and one more for all further ones together. */
class Series<Value> {
  readonly #create: () => Value
  readonly #byLabels = new Map<string, { readonly labels: Labels; readonly value: Value }>()

  constructor(create: () => Value) {
    this.#create = create
  }

  of(labels: Labels): Value {
    const key = JSON.stringify(labels)
    const known = this.#byLabels.get(key)
    if (known) return known.value
    const isOther = Object.values(labels).every((value) => value === other)
    if (this.#byLabels.size >= maxSeries && !isOther) {
      return this.of(Object.fromEntries(Object.keys(labels).map((name) => [name, other])))
    }
    const value = this.#create()
    this.#byLabels.set(key, { labels, value })
    return value
  }

  get all(): readonly { readonly labels: Labels; readonly value: Value }[] {
    return [...this.#byLabels.values()]
  }
}

/** Series of one metric; further ones are counted together. */
const maxSeries = 500

/** The label of everything that has no name of its own. */
export const other = 'other'
