import { leafScale } from '../../../packages/page-reader/src/extract/blocks/trees.ts'
import { generator } from '../halves.ts'

export interface TrainingRows {
  readonly rows: Float32Array
  readonly width: number
  /** Between 0 and 1. */
  readonly labels: Float32Array
  readonly weights: Float32Array
}

export interface BoostOptions {
  readonly trees: number
  readonly depth: number
  readonly rate: number
  /** The least weight of a leaf. */
  readonly minWeight: number
}

/** Trees in the form that `parseTree` reads, made by gradient boosting on histograms of 64 bins; the same for the same rows. */
export function boost(
  data: TrainingRows,
  options: BoostOptions,
): { readonly bias: number; readonly trees: readonly string[] } {
  const { labels, weights, width } = data
  const count = labels.length
  const { bins, limits } = binsOf(data)
  let [sum, total] = [0, 0]
  for (let row = 0; row < count; row++) {
    sum += (labels[row] ?? 0) * (weights[row] ?? 0)
    total += weights[row] ?? 0
  }
  const mean = Math.min(0.99, Math.max(0.01, sum / total))
  const bias = Math.round(Math.log(mean / (1 - mean)) * leafScale) / leafScale
  const scores = new Float32Array(count).fill(bias)
  const [gradients, hessians] = [new Float32Array(count), new Float32Array(count)]
  const trees: string[] = []
  const random = generator(37)
  for (let round = 0; round < options.trees; round++) {
    for (let row = 0; row < count; row++) {
      const guess = 1 / (1 + Math.exp(-(scores[row] ?? 0)))
      gradients[row] = ((labels[row] ?? 0) - guess) * (weights[row] ?? 0)
      hessians[row] = Math.max(1e-6, guess * (1 - guess) * (weights[row] ?? 0))
    }
    // Most rows and features are left out of each tree, so that trees differ.
    const chosen = Int32Array.from({ length: count }, (_, row) => row).filter(() => random() < 0.6)
    const features = Array.from({ length: width }, (_, feature) => feature).filter(() => random() < 0.5)
    trees.push(grow({ bins, limits, width, gradients, hessians, scores, features, options, count }, chosen))
  }
  return { bias, trees }
}

interface Growing {
  readonly bins: Uint8Array
  readonly limits: readonly Float32Array[]
  readonly width: number
  readonly gradients: Float32Array
  readonly hessians: Float32Array
  readonly scores: Float32Array
  readonly features: readonly number[]
  readonly options: BoostOptions
  readonly count: number
}

function grow(state: Growing, chosen: Int32Array): string {
  const all = Int32Array.from({ length: state.count }, (_, row) => row)
  return node(state, chosen, all, state.options.depth)
}

/** `chosen` decide, `all` get the value. */
function node(state: Growing, chosen: Int32Array, all: Int32Array, depth: number): string {
  const { bins, limits, width, gradients, hessians, scores, options } = state
  const split = depth > 0 ? bestSplit(state, chosen) : undefined
  if (!split) {
    let [gradient, hessian] = [0, 0]
    for (const row of chosen) {
      gradient += gradients[row] ?? 0
      hessian += hessians[row] ?? 0
    }
    const value = Math.round(Math.max(-4, Math.min(4, gradient / (hessian + lambda))) * options.rate * leafScale)
    for (const row of all) scores[row] = (scores[row] ?? 0) + value / leafScale
    return `=${value}`
  }
  const isLeft = (row: number) => (bins[row * width + split.feature] ?? 0) <= split.bin
  const limit = limits[split.feature]?.[split.bin] ?? 0
  const left = node(state, chosen.filter(isLeft), all.filter(isLeft), depth - 1)
  const isRight = (row: number) => !isLeft(row)
  const right = node(state, chosen.filter(isRight), all.filter(isRight), depth - 1)
  return `${split.feature}:${Number(limit.toPrecision(4))} ${left} ${right}`
}

function bestSplit(
  { bins, width, gradients, hessians, features, options }: Growing,
  chosen: Int32Array,
): { feature: number; bin: number } | undefined {
  const [sums, curves] = [new Float64Array(width * maxBins), new Float64Array(width * maxBins)]
  let [gradient, hessian] = [0, 0]
  for (const row of chosen) {
    const [g, h, start] = [gradients[row] ?? 0, hessians[row] ?? 0, row * width]
    gradient += g
    hessian += h
    for (const feature of features) {
      const at = feature * maxBins + (bins[start + feature] ?? 0)
      sums[at] = (sums[at] ?? 0) + g
      curves[at] = (curves[at] ?? 0) + h
    }
  }
  let best: { feature: number; bin: number } | undefined
  let bestGain = 1e-4
  const parent = gradient ** 2 / (hessian + lambda)
  for (const feature of features) {
    let [g, h] = [0, 0]
    for (let bin = 0; bin < maxBins - 1; bin++) {
      g += sums[feature * maxBins + bin] ?? 0
      h += curves[feature * maxBins + bin] ?? 0
      if (h < options.minWeight || hessian - h < options.minWeight) continue
      const gain = g ** 2 / (h + lambda) + (gradient - g) ** 2 / (hessian - h + lambda) - parent
      if (gain > bestGain) [best, bestGain] = [{ feature, bin }, gain]
    }
  }
  return best
}

const lambda = 1
const maxBins = 64

/** Each feature in at most 64 steps of about equally many rows; `limits` are the upper ends, rounded as the table has them. */
function binsOf({ rows, width, labels }: TrainingRows): {
  readonly bins: Uint8Array
  readonly limits: readonly Float32Array[]
} {
  const count = labels.length
  const bins = new Uint8Array(rows.length)
  const limits: Float32Array[] = []
  const step = Math.max(1, Math.floor(count / 20_000))
  for (let feature = 0; feature < width; feature++) {
    const sample: number[] = []
    for (let row = 0; row < count; row += step) sample.push(rows[row * width + feature] ?? 0)
    sample.sort((a, b) => a - b)
    const ends = new Set<number>()
    for (let bin = 1; bin < maxBins; bin++)
      ends.add(Number((sample[Math.floor((bin / maxBins) * sample.length)] ?? 0).toPrecision(3)))
    const own = Float32Array.from([...ends].sort((a, b) => a - b))
    limits.push(own)
    for (let row = 0; row < count; row++) {
      const value = rows[row * width + feature] ?? 0
      let [low, high] = [0, own.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (value <= (own[middle] ?? 0)) high = middle
        else low = middle + 1
      }
      bins[row * width + feature] = low
    }
  }
  return { bins, limits }
}
