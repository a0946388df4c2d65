import { afterEach, beforeEach, describe, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requiredFlags } from '../../../../src/executor/backends/claude/cli/launch.ts'
import { type ClaudeFixtureOptions, startClaude, strategies, strategyNames } from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { oddClaude, withoutFlags } from '../../../support/odd-claude.ts'
import { eventually, processesNaming, runningClaudes } from '../../../support/processes.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { credentialsIn, signIn } from '../../../support/sign-in.ts'

setDefaultTimeout(60_000)
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
    binary = quickClaude()
    setSystemTime(Date.now() + 10_000)
    expect((await odd.search('seals')).searches[0]?.results).toHaveLength(8)
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
  const noCommand = `${ifServer('exit 1')}\n${otherwise}`
  const noTool = `${ifServer(`"$claude" "$@" | sed -u 's/"WebSearch"/"Other"/g'`)}\n${otherwise}`

  test('has an agent serve every strategy', async () => {
    await using odd = await startOdd(noCommand)
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
    await using odd = await startOdd(noTool)
    const all = (await odd.search('seals', strategies.results)).searches[0]?.results
    const some = await odd.search('seals', { ...strategies.results, limit: 3, offset: 2 })
    expect(some.searches[0]?.results).toEqual(all?.slice(2, 5))
  })
})

describe('a CLI that lists a tool which csp did not ask for', () => {
  const lists = ifWorker(`tee -a "$HOME/input" | "$claude" "$@" | sed -u 's/"tools":\\[/"tools":["Bash",/; s/,\\]/]/'`)

  test.each(['standard', 'deep'] as const)(
    'gets no text of a caller and is ended, with the strategy %s',
    async (strategy) => {
      await using odd = await startOdd(`${lists}\n${otherwise}`)
      const { code, message } = await failureOf(
        odd.search('wombats', { ...strategies[strategy], instructions: 'wombats' }),
      )
      expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('Bash') })
      const { writer, searcher } = runningClaudes()
      expect([...writer, ...searcher]).toEqual([])
      expect(odd.sandbox.stats().callsByKind).toMatchObject({ decide: 0, write: 0 })
      const input = readFileSync(join(odd.home, 'input'), 'utf8')
      expect(input).toContain('/clear')
      expect(input).not.toContain('wombats')
    },
  )
})

test('a CLI that does not list its tools gets no text of a caller either', async () => {
  const hides = ifWorker(`tee -a "$HOME/input" | "$claude" "$@" | sed -u '/"subtype":"init"/d'`)
  await using odd = await startOdd(`${hides}\n${otherwise}`)
  const { code, message } = await failureOf(odd.search('wombats', strategies.text))
  expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('which tools') })
  expect(readFileSync(join(odd.home, 'input'), 'utf8')).not.toContain('wombats')
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

  test('such as a line that never ends fails the search and ends the process', async () => {
    await using odd = await startOdd(`${ifWorker('yes | tr -d "\\n"')}\n${otherwise}`)
    const { code, message } = await failureOf(odd.search('seals', strategies.text))
    expect({ code, message }).toEqual({ code: 'failed', message: 'Claude sent a line that is too long.' })
    expect(runningClaudes().writer).toEqual([])
  })

  test('followed by an early end is reported with the exit code of the worker', async () => {
    await using odd = await startOdd(`${ifWorker('echo boom >&2; exit 3')}\n${otherwise}`)
    const { code, message, cause } = await failureOf(odd.search('seals', strategies.standard))
    expect({ code, message, cause }).toEqual({
      code: 'unavailable',
      message: 'The Claude worker ended with code 3.',
      cause: 'boom\n',
    })
    expect((await odd.search('seals', strategies.results)).searches[0]?.results).toHaveLength(8)
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

describe('a login', () => {
  test.each(['results', 'deep'] as const)(
    'that comes later is found without a restart, with the strategy %s',
    async (strategy) => {
      await using claude = await startClaude({ variables: { CLAUDE_CODE_OAUTH_TOKEN: '' } })
      expect(existsSync(credentialsIn(claude.home))).toBe(false)
      for (let search = 1; search <= 2; search++) {
        const { code, message } = await failureOf(claude.search('seals', strategies[strategy]))
        expect({ code, message }).toEqual({ code: 'signed-out', message: expect.stringContaining('/login') })
      }
      expect(claude.sandbox.stats().calls).toBe(0)
      expect(await claude.executor.health()).toMatchObject({ ready: false, backends: [{ signedIn: false }] })
      signIn(claude.home)
      expect((await claude.search('seals', strategies[strategy])).searches[0]?.results).toHaveLength(8)
      setSystemTime(Date.now() + 10_000) // the health looks again after a while
      expect(await claude.executor.health()).toMatchObject({
        ready: true,
        backends: [{ signedIn: true, authMethod: 'claude.ai', subscription: 'max' }],
      })
    },
  )

  const lostInTheMiddle = [
    { scenario: 'hang', kind: 'write' },
    { scenario: 'error-401', kind: 'search' },
  ] as const

  test('that is lost ends idle processes at once, and working ones when they have finished', async () => {
    await using claude = await startClaude()
    await Promise.all([claude.search('seals', strategies.text), claude.search('seals', strategies.deep)])
    claude.sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'search', times: 1 }, ...lostInTheMiddle] })
    const controller = new AbortController()
    const atWork = [strategies.results, strategies.text].map((strategy) =>
      failureOf(claude.search('grey whales', strategy, controller.signal)),
    )
    await claude.sandbox.until(({ open }) => open === 2)
    expect((await failureOf(claude.search('seals', strategies.results))).code).toBe('signed-out')
    await eventually(() => runningClaudes().searcher.length === 0)
    const { direct, writer } = runningClaudes()
    expect([direct.length, writer.length, claude.sandbox.stats().open]).toEqual([1, 1, 2])
    controller.abort()
    for (const failure of atWork) expect((await failure).code).toBe('cancelled')
    await eventually(() => Bun.deepEquals(runningClaudes(), { direct: [], writer: [], searcher: [] }))
    claude.sandbox.configure({ scenario: 'ok' })
    expect((await claude.search('seals', strategies.standard)).citations).not.toEqual([])
  })

  test('that is lost leaves no process that close() does not end', async () => {
    await using claude = await startClaude({ sandbox: { scenario: lostInTheMiddle } })
    const writing = failureOf(claude.search('grey whales', strategies.text))
    await claude.sandbox.until(({ callsByKind }) => callsByKind.write === 1)
    expect((await failureOf(claude.search('seals', strategies.results))).code).toBe('signed-out')
    await claude.executor.close()
    expect((await writing).code).toBe('unavailable')
    expect(runningClaudes()).toEqual({ direct: [], writer: [], searcher: [] })
  })
})
