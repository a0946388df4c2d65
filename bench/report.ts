import type { CachedResult } from './cached.ts'
import type { MemoryPoint } from './memory.ts'
import type { RoadResult } from './roads.ts'
import { type Summary, summarise } from './statistics.ts'

export interface Measured {
  readonly cores: number
  readonly starts: readonly number[]
  readonly bare: RoadResult
  readonly bareSearch: RoadResult
  readonly bareText: Summary
  readonly roads: readonly RoadResult[]
  readonly parallel: Summary
  readonly cached: CachedResult
  readonly memory: readonly MemoryPoint[]
}

/** The measurements as Markdown. */
export function report({
  cores,
  starts,
  bare,
  bareSearch,
  bareText,
  roads,
  parallel,
  cached,
  memory,
}: Measured): string {
  return [
    `${process.platform} ${process.arch}, ${cores} cores, Bun ${Bun.version}. Times in ms.`,
    '',
    '| One search at a time | median | p99 | searches measured | model calls | bytes to the API |',
    '|---|---:|---:|---:|---:|---:|',
    ...[bare, bareSearch, ...roads].map(row),
    '',
    '| | median | p99 |',
    '|---|---:|---:|',
    line('20 lists of results at the same time, all of them', parallel),
    line('Listening after the start', summarise(starts)),
    line('A cached reply', cached.one),
    line("First text, from the API to the bare CLI's output", bareText),
    ...roads.flatMap(({ road, textDelayMs }) =>
      textDelayMs ? [line(`First text, from the API to the client: ${road}`, textDelayMs)] : [],
    ),
    '',
    `Cached replies a second, 32 at a time, client on the same machine: ${cached.perSecond}.`,
    '',
    `Memory of csp itself: ${memory.map(({ searches, mb }) => `${mb.toFixed(0)} MB after ${searches} searches`).join(', ')}.`,
  ].join('\n')
}

function row({ road, totalMs, callsPerSearch, bytesPerSearch }: RoadResult): string {
  const { median, p99, count } = totalMs
  return `| ${road} | ${median.toFixed(1)} | ${p99.toFixed(1)} | ${count} | ${callsPerSearch} | ${bytesPerSearch} |`
}

function line(label: string, { median, p99 }: Summary): string {
  return `| ${label} | ${median.toFixed(1)} | ${p99.toFixed(1)} |`
}
