import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type StrategyName, startClaude, strategies } from '../support/claude-executor.ts'
import { failureOf } from '../support/failure-of.ts'
import { oddClaude } from '../support/odd-claude.ts'
import { eventually, processesNaming } from '../support/processes.ts'
import { scratchHome } from '../support/real-claude.ts'
import { startSandbox } from '../support/sandbox.ts'
import { isFull } from './full.ts'

// The CLI's output spoilt on its way. More of it is in tests/executor/backends/claude/odd-cli.test.ts and tests/executor/backends/claude/cli/process.test.ts.

setDefaultTimeout(60_000)
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
  /** What comes of the search; by default it succeeds. */
  readonly code?: 'unavailable' | 'failed' | 'timeout'
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
function script({ filter, instead, once }: Spoiler): string {
  const unlessSecond = once ? '[ -e "$HOME/$kind" ] && exec "$claude" "$@"; : > "$HOME/$kind"' : ''
  return `kind=none
[ "$2" = mcp ] && { kind=server; whole=3; }
[ "$1" = --print ] && { kind=worker; whole=7; }
[ $kind = none ] && exec "$claude" "$@"
${unlessSecond}
${instead ?? `"$claude" "$@" | ${filter}`}`
}

for (const spoiler of spoilers.filter(({ full }) => !full || isFull)) {
  test(`the CLI writes ${spoiler.name}, and every search still ends as it should`, async () => {
    await using folder = await scratchHome()
    const binary = oddClaude(folder.path, script(spoiler))
    await using odd = await startClaude({ on, findBinary: () => binary, livenessMs: 500 })
    const before = process.memoryUsage().rss
    const roadsNow: readonly StrategyName[] = isFull ? ['results', 'fast', 'standard', 'deep', 'text'] : ['standard']
    for (const strategy of roadsNow) {
      if (spoiler.code) expect((await failureOf(odd.search('seals', strategies[strategy]))).code).toBe(spoiler.code)
      else
        expect((await odd.search('seals', strategies[strategy])).text).toContain(
          strategy === 'results' ? '' : 'Sandbox answer',
        )
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
    await odd.executor.close()
    const left = () => processesNaming(odd.home)
    expect(left().filter(({ command }) => command.includes(folder.path) || command === 'sleep 4322')).toEqual([])
    // What these had started is killed with them, but is not waited for.
    await eventually(() => left().length === 0)
  })
}

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
