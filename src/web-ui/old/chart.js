// How long the last requests took: a dot for each in its order, and each day with its median.

import { drawing, duration } from './dom.js'

const height = 132
const margin = { top: 10, right: 8, bottom: 20, left: 50 }

/**
 * @param {readonly any[]} requests the newest first
 * @param {number} width
 */
export function latencyChart(requests, width) {
  const dots = requests.toReversed().map((request) => ({ ...request, ms: Math.max(1, request.ms) }))
  const times = dots.map(({ ms }) => ms)
  const [low, high] = [Math.floor(Math.log10(Math.min(...times))), Math.ceil(Math.log10(Math.max(...times)))]
  const top = Math.max(high, low + 1)
  const [inner, step] = [width - margin.left - margin.right, height - margin.top - margin.bottom]
  const x = (/** @type {number} */ index) => margin.left + ((index + 0.5) / dots.length) * inner
  const y = (/** @type {number} */ ms) => margin.top + ((top - Math.log10(ms)) / (top - low)) * step
  const grid = Array.from({ length: top - low + 1 }, (_, index) => 10 ** (low + index)).flatMap((ms) => [
    drawing('line', { class: 'grid', x1: margin.left, x2: width - margin.right, y1: y(ms), y2: y(ms) }),
    drawing(
      'text',
      { x: margin.left - 6, y: y(ms) + 4, 'text-anchor': 'end' },
      ms < 1000 ? `${ms} ms` : `${ms / 1000} s`,
    ),
  ])
  const marks = dots.map((request, index) =>
    drawing(
      'circle',
      { class: kindOf(request), cx: x(index), cy: y(request.ms), r: 3.5 },
      drawing('title', {}, `${request.path}, ${duration(request.ms)}, ${new Date(request.at).toLocaleString()}`),
    ),
  )
  const half = inner / dots.length / 2
  const days = daysOf(dots).flatMap(({ name, first, last, median }) => [
    drawing('line', { class: 'median', x1: x(first) - half, x2: x(last) + half, y1: y(median), y2: y(median) }),
    ...(first > 0
      ? [drawing('line', { class: 'grid', x1: x(first) - half, x2: x(first) - half, y1: margin.top, y2: height - 4 })]
      : []),
    // A day of few requests has no room for its name.
    ...((last - first + 1) * half * 2 > 48
      ? [drawing('text', { x: x(first) - half + 4, y: height - 5 }, `${name}, median ${duration(median)}`)]
      : []),
  ])
  const label = `Time of the last ${dots.length} requests. ${daysOf(dots)
    .map(({ name, median }) => `${name}: median ${duration(median)}`)
    .join('. ')}. The slowest took ${duration(Math.max(...times))}.`
  return drawing(
    'svg',
    { class: 'chart', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
    ...grid,
    ...days,
    ...marks,
  )
}

/** @param {any} request */
function kindOf({ code, status, cache }) {
  if (code !== null || status >= 400) return 'failed'
  return cache && cache !== 'miss' ? 'cached' : 'searched'
}

/** @param {readonly {at: string, ms: number}[]} dots */
function daysOf(dots) {
  const today = new Date().toDateString()
  const starts = dots.flatMap(({ at }, index) => {
    const day = new Date(at).toDateString()
    return index === 0 || day !== new Date(dots[index - 1]?.at ?? '').toDateString() ? [index] : []
  })
  return starts.map((first, index) => {
    const last = (starts[index + 1] ?? dots.length) - 1
    const sorted = dots
      .slice(first, last + 1)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b)
    const date = new Date(dots[first]?.at ?? '')
    const name =
      date.toDateString() === today ? 'Today' : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
    return { name, first, last, median: sorted[Math.floor(sorted.length / 2)] ?? 1 }
  })
}
