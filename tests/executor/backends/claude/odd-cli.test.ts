import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { requiredFlags } from '../../../../src/executor/backends/claude/cli/launch.ts'
import {
  type ClaudeFixture,
  type ClaudeFixtureOptions,
  startClaude,
  strategies,
  strategyNames,
} from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { oddClaude, withoutFlags } from '../../../support/odd-claude.ts'
import { processesNaming, runningClaudes } from '../../../support/processes.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { type ScratchHome, scratchHome } from '../../../support/real-claude.ts'

let folder: ScratchHome
beforeEach(async () => {
  folder = await scratchHome()
})
afterEach(async () => {
  setSystemTime()
  await folder[Symbol.asyncDispose]()
})

/** The executor with a program in the place of the CLI; `$1` is the first argument, as for `mcp serve`. */
function startOdd(script: string, options: ClaudeFixtureOptions = {}) {
  const binary = oddClaude(folder.path, script)
  return startClaude({ findBinary: () => binary, ...options })
}

const ifServer = (command: string) => `[ "$2" = mcp ] && { ${command}; exit; }`
const ifWorker = (command: string) => `[ "$1" = --print ] && { ${command}; exit; }`
const otherwise = 'exec "$claude" "$@"'

const withoutProof = `"$claude" "$@" | sed -u '/"type":"conversation_reset"/d'`
const saying = (version: string) => `s/"claude_code_version":"[^"]*"/"claude_code_version":"${version}"/`

test('a WebSearch that declares structured content and sends text makes lists all the same', async () => {
  const schema = '"outputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'
  const declares = `"$claude" "$@" | sed -u 's/"name":"WebSearch"/&,${schema}/'`
  await using odd = await startOdd(`${ifServer(declares)}\n${otherwise}`)
  expect((await odd.search('seals', strategies.results)).searches[0]?.results).toHaveLength(8)
  expect(odd.sandbox.stats().callsByKind).toEqual({ search: 1, answer: 0, decide: 0, write: 0 })
})

describe('a machine without a working CLI', () => {
  const scripts = {
    'another program': 'echo hello',
    'a program that fails': 'echo "cannot open shared object" >&2; exit 127',
    'a program that is killed': 'kill -9 $$',
    'no program at all': '#',
  }

  test.each(Object.entries(scripts))('makes every strategy fail as unavailable: %s', async (_, script) => {
    await using odd = await startOdd(script)
    for (const strategy of strategyNames) {
      const { code, message } = await failureOf(odd.search('seals', strategies[strategy]))
      expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('does not run as') })
    }
    const { ready, backends } = await odd.executor.health()
    expect({ ready, problem: backends[0]?.problem }).toEqual({ ready: false, problem: expect.stringMatching(/\w/) })
  })

  test('gets a CLI later, and csp finds it without a restart', async () => {
    let binary: string | undefined
    await using odd = await startClaude({ findBinary: () => binary })
    const { code, message } = await failureOf(odd.search('seals'))
    expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('npm install') })
    binary = standInClaude()
    setSystemTime(Date.now() + 10_000)
    expect((await odd.search('seals')).searches[0]?.results).toHaveLength(8)
  })

  test('is described although the CLI hangs', async () => {
    await using odd = await startOdd('exec sleep 600', { describeMs: 100 })
    const [described] = (await odd.executor.health()).backends
    expect(described).toMatchObject({ ready: false, problem: 'The Claude Code CLI has not answered yet.' })
  })

  test('fails as too old when the CLI does not keep callers apart', async () => {
    await using odd = await startOdd(`[ "$1" = --version ] && { echo "2.1.128 (Claude Code)"; exit; }\n${otherwise}`)
    for (const strategy of strategyNames) {
      const { code, message } = await failureOf(odd.search('seals', strategies[strategy]))
      expect({ code, message }).toEqual({
        code: 'unavailable',
        message: expect.stringContaining('(2.1.128) is too old: below 2.1.129'),
      })
    }
    const { ready, backends } = await odd.executor.health()
    expect([ready, backends[0]?.problem]).toEqual([false, expect.stringContaining('npm install -g')])
    expect(odd.sandbox.stats().calls).toBe(0)
  })

  test('fails as too old when the CLI lacks a flag that csp needs for safety', async () => {
    await using odd = await startOdd(withoutFlags(requiredFlags))
    const { code, message } = await failureOf(odd.search('seals', strategies.deep))
    expect({ code, message }).toEqual({
      code: 'unavailable',
      message: expect.stringContaining(`lacks ${requiredFlags.join(', ')}.`),
    })
    expect(odd.sandbox.stats().calls).toBe(0)
  })
})

describe('a CLI without WebSearch over MCP', () => {
  let own: ScratchHome
  let odd: ClaudeFixture
  beforeAll(async () => {
    own = await scratchHome()
    const binary = oddClaude(own.path, `${ifServer('. "$HOME/server"')}\n${otherwise}`)
    odd = await startClaude({ findBinary: () => binary })
  })
  beforeEach(() => odd.sandbox.reset())
  afterAll(async () => {
    await odd[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
  })
  const serverRuns = (command: string) => writeFileSync(join(odd.home, 'server'), command)

  test('has an agent serve every strategy', async () => {
    serverRuns('exit 1')
    for (const strategy of strategyNames) {
      odd.sandbox.reset()
      const { searches, text, citations, usage } = await odd.search('seals', strategies[strategy])
      expect(searches.map(({ results }) => results.length)).toEqual(strategy === 'text' ? [] : [8])
      expect(usage.searches).toBe(strategy === 'text' ? 0 : 1)
      if (strategy !== 'results') expect(text).toStartWith('Sandbox answer')
      expect(citations.length > 0).toBe(strategy !== 'results' && strategy !== 'text')
      await odd.sandbox.until(({ open }) => open === 0)
      const { decide, search } = odd.sandbox.stats().callsByKind
      expect({ decide, search }).toEqual(strategy === 'text' ? { decide: 0, search: 0 } : { decide: 1, search: 1 })
    }
  })

  test('still returns a list with limit and offset', async () => {
    serverRuns(`"$claude" "$@" | sed -u 's/"WebSearch"/"Other"/g'`)
    setSystemTime(Date.now() + 100_000) // csp asks again after a while
    const all = (await odd.search('seals', strategies.results)).searches[0]?.results
    const some = await odd.search('seals', { ...strategies.results, limit: 3, offset: 2 })
    expect(some.searches[0]?.results).toEqual(all?.slice(2, 5))
    expect((await odd.executor.health()).backends[0]?.engines?.['direct']).toBe('ready, 0 running, 0 served')
  })
})

describe('a CLI whose workers are odd', () => {
  let own: ScratchHome
  let odd: ClaudeFixture
  beforeAll(async () => {
    own = await scratchHome()
    const binary = oddClaude(own.path, `${ifWorker('echo >> "$HOME/starts"; . "$HOME/worker"')}\n${otherwise}`)
    odd = await startClaude({ findBinary: () => binary })
  })
  beforeEach(() => {
    odd.sandbox.reset()
    for (const name of ['starts', 'input']) writeFileSync(join(odd.home, name), '')
  })
  afterAll(async () => {
    await odd[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
  })

  /** What the next worker runs. */
  const workersRun = (command: string) => writeFileSync(join(odd.home, 'worker'), command)
  const written = (name: string) => readFileSync(join(odd.home, name), 'utf8')
  const untilNoneIsLeft = () =>
    eventually(() => [...runningClaudes().writer, ...runningClaudes().searcher].length === 0)

  test.each(['standard', 'deep'] as const)(
    'since they list a tool which csp did not ask for, gets no text of a caller and one chance, with the strategy %s',
    async (strategy) => {
      workersRun(`tee -a "$HOME/input" | "$claude" "$@" | sed -u 's/"tools":\\[/"tools":["Bash",/; s/,\\]/]/'`)
      const { code, message } = await failureOf(
        odd.search('wombats', { ...strategies[strategy], instructions: 'wombats' }),
      )
      expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('Bash') })
      await untilNoneIsLeft()
      expect(odd.sandbox.stats().callsByKind).toMatchObject({ decide: 0, write: 0 })
      expect(written('input')).toContain('/clear')
      expect(written('input')).not.toContain('wombats')
      expect(written('starts')).toBe('\n')
    },
  )

  test('since they do not list their tools, gets no text of a caller either', async () => {
    workersRun(`tee -a "$HOME/input" | "$claude" "$@" | sed -u '/"subtype":"init"/d'`)
    const { code, message } = await failureOf(odd.search('wombats', strategies.text))
    expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('which tools') })
    expect(written('input')).not.toContain('wombats')
  })

  test('since nothing proves that their session is cleared, gets no text of a caller', async () => {
    workersRun(`tee -a "$HOME/input" | ${withoutProof}`)
    const { code, message } = await failureOf(odd.search('wombats', strategies.text))
    expect([code, message]).toEqual(['unavailable', 'Claude did not clear its session.'])
    expect(written('input')).not.toContain('wombats')
    await untilNoneIsLeft()
  })

  test('since they are of an older CLI than the one that was probed, gets no text of a caller', async () => {
    workersRun(`tee -a "$HOME/input" | ${withoutProof} | sed -u '${saying('2.1.128')}'`)
    const { code, message } = await failureOf(odd.search('wombats', strategies.text))
    expect([code, message]).toEqual(['unavailable', expect.stringContaining('(2.1.128) is too old')])
    expect(written('input')).not.toContain('wombats')
  })

  test('since they write a line that never ends, fails the search and is ended', async () => {
    workersRun('yes | tr -d "\\n"')
    const { code, message } = await failureOf(odd.search('seals', strategies.text))
    expect({ code, message }).toEqual({ code: 'failed', message: 'Claude sent a line that is too long.' })
    await untilNoneIsLeft()
  })

  test('since they end early, is reported with their exit code', async () => {
    workersRun('echo boom >&2; exit 3')
    const { code, message, cause } = await failureOf(odd.search('seals', strategies.standard))
    expect({ code, message, cause }).toEqual({
      code: 'unavailable',
      message: 'The Claude worker ended with code 3.',
      cause: 'boom\n',
    })
    expect((await odd.search('seals', strategies.results)).searches[0]?.results).toHaveLength(8)
  })
})

describe('a session that is cleared', () => {
  const startWorkers = (command: string) => startOdd(`${ifWorker(`echo >> "$HOME/starts"; ${command}`)}\n${otherwise}`)
  const starts = ({ home }: ClaudeFixture) => readFileSync(join(home, 'starts'), 'utf8').length

  test('serves the next caller where this version says nothing of it', async () => {
    await using odd = await startWorkers(`${withoutProof} | sed -u '${saying('2.1.220')}'`)
    for (let times = 0; times < 2; times++) expect((await odd.search('seals', strategies.text)).reason).toBe('stop')
    expect(starts(odd)).toBe(1)
  })

  test('does not where nothing proves it: its worker ends, and the next caller gets another', async () => {
    await using odd = await startWorkers(
      `"$claude" "$@" | sed -u '1,/conversation_reset/b;/"type":"conversation_reset"/d'`,
    )
    for (const query of ['seals', 'wombats']) {
      const { text } = await odd.search(query, { ...strategies.text, instructions: 'Be brief.' })
      expect(text).toContain(query)
    }
    expect(starts(odd)).toBe(2)
  })
})

describe('unexpected output of a CLI', () => {
  test('is skipped when its lines are not of the protocol', async () => {
    const garble = `sed -u 's/^/garbage {\\n{"type":"new"}\\n[]\\n/'`
    await using odd = await startOdd(
      `[ "$2" = mcp ] || [ "$1" = --print ] && { "$claude" "$@" | ${garble}; exit; }\n${otherwise}`,
    )
    for (const strategy of ['standard', 'deep'] as const) {
      expect((await odd.search('seals', strategies[strategy])).reason).toBe('stop')
    }
  })

  test('such as a result left over from the turn before does not end a turn', async () => {
    const result = { type: 'result', subtype: 'success', is_error: false, result: 'Stale.', usage: {}, modelUsage: {} }
    const stale = `sed -u '1,/"subtype":"init"/b;/"subtype":"init"/i ${JSON.stringify(result)}'`
    const script = `${ifWorker(`"$claude" "$@" | ${stale}`)}\n${otherwise}`
    // Without the session being cleared, each turn begins with an `init` of its own.
    await using odd = await startOdd(script, { sessionContext: 'keep' })
    for (let times = 0; times < 2; times++) {
      const { text } = await odd.search('seals', strategies.text)
      expect(text).toContain('Sandbox')
      expect(text).not.toContain('Stale.')
    }
  })

  test('does not keep a worker alive that ignores SIGTERM when csp is closed', async () => {
    const stubborn = 'trap "" TERM; "$claude" "$@"; while :; do sleep 1000; done'
    await using odd = await startOdd(`[ "$2" = mcp ] || [ "$1" = --print ] && { ${stubborn}; }\n${otherwise}`)
    await odd.search('seals', strategies.standard)
    await odd.executor.close()
    const left = () => processesNaming(folder.path)
    await eventually(() => left().length === 0)
  })
})
