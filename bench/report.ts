import type { CachedResult } from './cached.ts'
import type { MemoryPoint } from './memory.ts'
import { type Summary, summarise } from './statistics.ts'
import type { StrategyResult } from './strategies.ts'

export interface Measured {
  readonly cores: number
  readonly starts: readonly number[]
  readonly bare: StrategyResult
  readonly bareSearch: StrategyResult
  readonly bareText: Summary
  readonly strategies: readonly StrategyResult[]
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
  strategies,
  parallel,
  cached,
  memory,
}: Measured): string {
  return [
    `${process.platform} ${process.arch}, ${cores} cores, Bun ${Bun.version}. Times in ms.`,
    '',
    '| One search at a time | median | p99 | searches measured | model calls | bytes to the API |',
    '|---|---:|---:|---:|---:|---:|',
    ...[bare, bareSearch, ...strategies].map(row),
    '',
    '| | median | p99 |',
    '|---|---:|---:|',
    line('20 concurrent lists of results, until the last', parallel),
    line('Start until listening', summarise(starts)),
    line('A cached reply', cached.one),
    line("First text, from the API to the bare CLI's output", bareText),
    ...strategies.flatMap(({ strategy, textDelayMs }) =>
      textDelayMs ? [line(`First text, from the API to the client: ${strategy}`, textDelayMs)] : [],
    ),
    '',
    `Cached replies per second with 32 concurrent requests, client on the same machine: ${cached.perSecond}.`,
    '',
    `Memory of the csp process: ${memory.map(({ searches, mb }) => `${mb.toFixed(0)} MB after ${searches} searches`).join(', ')}.`,
  ].join('\n')
}

function row({ strategy, totalMs, callsPerSearch, bytesPerSearch }: StrategyResult): string {
  const { median, p99, count } = totalMs
  return `| ${strategy} | ${median.toFixed(1)} | ${p99.toFixed(1)} | ${count} | ${callsPerSearch} | ${bytesPerSearch} |`
}

function line(label: string, { median, p99 }: Summary): string {
  return `| ${label} | ${median.toFixed(1)} | ${p99.toFixed(1)} |`
}
