import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type StrategyName, startClaude, strategies } from '../support/claude-executor.ts'
import { failureOf } from '../support/failure-of.ts'
import { oddClaude } from '../support/odd-claude.ts'
import { processesNaming, type RunningProcess } from '../support/processes.ts'
import { scratchHome } from '../support/real-claude.ts'
import { isFull } from './full.ts'

// The CLI's output spoilt on its way. More of it is in tests/executor/backends/claude/odd-cli.test.ts and tests/executor/backends/claude/cli/process.test.ts.

const on = startSandbox()
afterAll(() => on.stop())

/** What stands between the CLI and csp, for the search server and the workers alike. */
interface Spoiler {
  readonly name: string
  /** For `sh`: reads the CLI's output and writes what csp sees. `$whole`: the line from which on the start is over. */
  readonly filter?: string
  /** For `sh`: in the CLI's place. */
  readonly instead?: string
  /** Only the first process of each kind; the next is whole. */
  readonly once?: true
  readonly full?: true
}

const flood = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`

const spoilers: readonly Spoiler[] = [
  { name: 'lines that are no UTF-8', filter: String.raw`sed -u 's/^/\xff\xfe\xc3\x28\n/'` },
  { name: 'every line twice', filter: `sed -u p` },
  {
    name: 'every line late',
    filter: `while IFS= read -r line; do sleep 0.02; printf '%s\\n' "$line"; done`,
    full: true,
  },
  { name: 'lines cut in the middle', filter: `sed -u "$whole,\\$s/^\\(.\\{20\\}\\).*/\\1/"`, once: true },
  { name: 'an end in the middle of a line', filter: '{ dd bs=1 count=300 2>&-; kill $$; }', once: true },
  { name: '100 MB of errors', filter: `{ ${flood(100_000_000)} >&2; cat; }`, full: true },
  { name: '10 MB of errors', filter: `{ ${flood(10_000_000)} >&2; cat; }` },
  { name: 'a line of 50 MB', filter: `{ ${flood(50_000_000)}; echo; cat; }`, once: true },
  { name: 'an output that is closed at once', instead: 'exec 1>&-; exec sleep 4322', once: true },
  { name: 'an end at once, as if all were well', instead: 'exit 0', once: true },
]

/** The CLI with a spoiler, for its server and its workers; whatever else it is asked passes. */
function script([spoiler, next]: readonly Spoiler[]): string {
  if (!spoiler) throw new Error('Nothing is spoilt.')
  const spoilt = ({ filter, instead }: Spoiler) => instead ?? `"$claude" "$@" | ${filter}`
  const second = next ? `${spoilt(next)}; exit` : 'exec "$claude" "$@"'
  const unlessSecond = spoiler.once ? `[ -e "$HOME/$kind" ] && { ${second}; }\n: > "$HOME/$kind"` : ''
  return `kind=none
[ "$2" = mcp ] && { kind=server; whole=3; }
[ "$1" = --print ] && { kind=worker; whole=7; }
[ $kind = none ] && exec "$claude" "$@"
${unlessSecond}
${spoilt(spoiler)}`
}

const breaking = spoilers.filter(({ once }) => once)
const lasting = spoilers.filter(({ once, full }) => !once && !full)

/**
 * Each by itself in the full run. Otherwise the process in the place of one that breaks is not whole, but spoilt in a way
 * that csp can live with: half as many starts.
 */
const rows: readonly (readonly Spoiler[])[] = isFull
  ? spoilers.map((spoiler) => [spoiler])
  : Array.from({ length: Math.max(breaking.length, lasting.length) }, (_, index) => [
      ...breaking.slice(index, index + 1),
      ...lasting.slice(index, index + 1),
    ])

const strategyNames: readonly StrategyName[] = isFull ? ['results', 'fast', 'standard', 'deep', 'text'] : ['standard']

interface Outcome {
  /** The text of each search, or its failure. */
  readonly searches: readonly (readonly [StrategyName, PromiseSettledResult<string>])[]
  readonly grownBy: number
}

describe.each(rows.map((row) => [row] as const))('the CLI writes', (row) => {
  const outcomes: Outcome[] = []
  let left: readonly RunningProcess[] | undefined

  beforeAll(async () => {
    await using folder = await scratchHome()
    const binary = oddClaude(folder.path, script(row))
    await using odd = await startClaude({ on, findBinary: () => binary, livenessMs: 500 })
    for (const _ of row) {
      const before = process.memoryUsage().rss
      const searches: Outcome['searches'][number][] = []
      for (const strategy of strategyNames) {
        const [ended] = await Promise.allSettled([odd.search('seals', strategies[strategy]).then(({ text }) => text)])
        searches.push([strategy, ended])
      }
      outcomes.push({ searches, grownBy: process.memoryUsage().rss - before })
    }
    await odd.executor.close()
    left = processesNaming(odd.home).filter(({ parent }) => parent === process.pid)
    // What these had started is killed with them, but is not waited for.
    await eventually(() => processesNaming(odd.home).length === 0)
  })

  test.each(row.map(({ name }, index) => [name, index] as const))(
    '%s, and every search still ends as it should',
    (_, index) => {
      const { searches, grownBy } = outcomes[index] ?? { searches: [], grownBy: Number.NaN }
      expect(searches).toEqual(
        strategyNames.map((strategy) => {
          const value = expect.stringContaining(strategy === 'results' ? '' : 'Sandbox answer')
          return [strategy, { status: 'fulfilled', value }]
        }),
      )
      expect(grownBy).toBeLessThan(200e6)
      expect(left).toEqual([])
    },
  )
})

describe('JSON-RPC', () => {
  /** The search server's reply, with another number. */
  const renumbered = `sed -u 's/"id":\\([2-9][0-9]*\\)/"id":9\\1/'`

  test('replies with unknown ids are not taken for an answer', async () => {
    await using folder = await scratchHome()
    const binary = oddClaude(
      folder.path,
      `[ "$2" = mcp ] && { "$claude" "$@" | ${renumbered}; exit; }\nexec "$claude" "$@"`,
    )
    await using odd = await startClaude({ on, findBinary: () => binary, livenessMs: 500 })
    const { code } = await failureOf(odd.search('seals', strategies.results, AbortSignal.timeout(4000)))
    expect(code).toBe('timeout')
  })
})
