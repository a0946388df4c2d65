/**
 * Reads what stands between a marker's brackets: `1`, `^1`, `1, 2`, `1-3`, `1†source`. Returns the numbers that name
 * one of `count` sources, in order; none when the marker points nowhere. `undefined` when it is no marker but text, as
 * a year, a zero or a wide range is.
 */
export function markerNumbers(text: string, count: number): number[] | undefined {
  if (text.length > maximumMarker) return undefined
  const numbers: number[] = []
  for (const item of text.replace(/†.*/s, '').split(/[,;]/)) {
    const match = /^\s*\^?([1-9]\d*)(?:\s*[-–]\s*\^?([1-9]\d*))?\s*$/.exec(item)
    if (!match) return undefined
    const first = Number(match[1])
    const last = Number(match[2] ?? match[1])
    if (last < first || last - first > widestRange || (last > count && last >= 1000)) return undefined
    for (let number = first; number <= Math.min(last, count); number++) numbers.push(number)
  }
  return numbers
}

const maximumMarker = 100
const widestRange = 20
