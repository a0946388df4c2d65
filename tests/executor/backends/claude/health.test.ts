import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { collect } from '../../../../src/domain/answer.ts'
import type { LastError } from '../../../../src/domain/health.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { type ClaudeExecutor, claude } from '../../../../src/executor/backends/claude/claude.ts'
import type { EngineOptions } from '../../../../src/executor/backends/claude/engine-options.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { type CliScript, found, respond, scriptedCli } from '../../../support/scripted-cli.ts'

// What the executor says of itself, and what a failure changes, on a CLI that is a script.

let folder: ScratchHome
let executor: ClaudeExecutor
beforeEach(async () => {
  folder = await scratchHome()
})
afterEach(async () => {
  await executor.close()
  await folder[Symbol.asyncDispose]()
})

const now = new Date('2026-03-15T12:00:00Z')

function start(script: CliScript = {}, more: Partial<EngineOptions> = {}) {
  const cli = scriptedCli(folder.path, {
    ...script,
    onStart: `case "$*" in *--print*) echo >> "$folder/workers"; ${script.onStart ?? 'exit 3'} ;; esac`,
  })
  const lines: string[] = []
  executor = claude({
    ...{ findBinary: () => cli.path, environment: { PATH: process.env['PATH'] }, workingDirectory: folder.path },
    ...{ model: 'sonnet', excerpts: 'lines', maxSessionSearches: 1, sessionContext: 'clear', version: '0' },
    ...{
      auth: 'subscription',
      now: () => now,
      log: (level, line) => level !== 'debug' && lines.push(`${level}: ${line}`),
    },
    ...more,
  })
  const workers = () => {
    const file = join(folder.path, 'workers')
    return existsSync(file) ? readFileSync(file, 'utf8').length : 0
  }
  return { cli, lines, workers }
}

const { signal } = new AbortController()
const search = (rest: Partial<SearchRequest> = {}, until = signal) =>
  collect(executor.search(requestFor('seals', rest), { signal: until }))
const health = async () => (await executor.health()).backends[0]
const fails = (text: string) => respond({ content: [{ type: 'text', text }], isError: true })

describe('the health', () => {
  test('of a CLI that works has all that is known of it', async () => {
    start()
    expect((await search()).searches[0]?.results).toHaveLength(1)
    const { ready, backends } = await executor.health()
    expect(ready).toBe(true)
    expect(backends).toEqual([
      {
        ...{ name: 'claude', ready: true, version: '2.1.129', signedIn: true },
        engines: { direct: 'ready, 0 running, 1 served', agent: 'no worker yet' },
      },
    ])
  })

  test.each<[string, CliScript, Partial<EngineOptions>, object]>([
    ['is signed out', { isSignedIn: false }, {}, { signedIn: false, problem: expect.stringContaining('csp login') }],
    ['is too old', { version: '2.1.128' }, {}, { signedIn: true, problem: expect.stringContaining('too old') }],
    ['is missing', {}, { findBinary: () => undefined }, { isMissing: true, problem: expect.stringContaining('npm') }],
  ])('of a CLI that %s says so', async (name, script, more, expected) => {
    start(script, more)
    const { ready, backends } = await executor.health()
    expect(ready).toBe(false)
    expect(backends[0]).toMatchObject({ ready: false, ...expected })
    expect('isMissing' in (backends[0] ?? {})).toBe(name === 'is missing')
  })

  test('has the last failure that is the backend’s own', async () => {
    const onSearch = `case "$line" in *busy*) ${fails('API Error: 529')} ;; *wrong*) ${fails('API Error: 400')} ;; *slow*) ;; *) ${found()} ;; esac`
    start({ onSearch })
    const ask = (query: string, until = signal) =>
      collect(executor.search(requestFor(query), { signal: until })).catch(() => {})
    await ask('wrong')
    const soon = new AbortController()
    const slow = ask('slow', soon.signal)
    await Bun.sleep(20)
    soon.abort()
    await slow
    expect((await health())?.lastError).toBeUndefined()
    await ask('busy')
    const lastError: LastError = {
      ...{ code: 'unavailable', message: 'The Claude API is overloaded (529).', at: now.toISOString() },
    }
    expect((await health())?.lastError).toEqual(lastError)
    await ask('wrong')
    executor.renewLogin() // Another login does not mend it.
    expect((await health())?.lastError).toEqual(lastError)
  })
})

test('a lost login has its process replaced, and a new one is asked for', async () => {
  const { cli } = start({ onSearch: `[ $starts = 1 ] && { ${fails('Not logged in')}; } || { ${found()}; }` })
  expect((await failureOf(search())).code).toBe('signed-out')
  expect((await health())?.lastError?.code).toBe('signed-out')
  expect([cli.probes(), cli.starts().length]).toEqual([2, 2])
  executor.renewLogin()
  expect((await health())?.lastError).toBeUndefined()
  expect((await search()).searches).toHaveLength(1)
  expect([cli.probes(), cli.starts().length]).toEqual([3, 3])
})

test('a search whose caller has left starts nothing', async () => {
  const { cli } = start()
  expect((await failureOf(search({}, AbortSignal.abort()))).code).toBe('cancelled')
  expect([cli.probes(), cli.starts().length]).toEqual([0, 0])
})

test('a closed executor serves nothing, and what it leaves undone is no fault', async () => {
  const { cli } = start({ onSearch: ':' })
  const searching = failureOf(search())
  await eventually(() => cli.searches().length === 1)
  await executor.close()
  expect((await searching).code).toBe('unavailable')
  expect(await failureOf(search())).toMatchObject({ code: 'unavailable', message: 'csp is shutting down.' })
  expect((await health())?.lastError).toBeUndefined()
})

test('an answer is put together elsewhere where two calls are enough, and a CLI that cannot be used is asked, to say why', async () => {
  const answers = (rest: Partial<SearchRequest>) =>
    executor.answers?.(requestFor('seals', { want: 'answer', ...rest }), { signal })
  start()
  expect(await answers({ effort: 'standard' })).toBe(false)
  expect(await answers({ effort: 'deep' })).toBe(true)
  await executor.close()
  start({ version: '2.1.128' })
  expect(await answers({ effort: 'standard' })).toBe(true)
})

test('a writer that is prepared starts once the CLI is known, unless it is no longer wanted', async () => {
  const { workers } = start()
  const prepare = () => executor.prepare?.(requestFor('seals', { want: 'answer' }), { signal })
  const wanted = await prepare()
  wanted?.release()
  expect((await executor.health()).ready).toBe(true)
  await Bun.sleep(20)
  expect(workers()).toBe(0)
  const kept = await prepare()
  await eventually(() => workers() === 1)
  kept?.release()
})

describe('a CLI that is started ahead', () => {
  const key = { ANTHROPIC_API_KEY: 'sk-1' }
  const ignored =
    'warning: ANTHROPIC_API_KEY is set, and ignored: searches run on your subscription. To use it: --auth api-key.'
  const notWarm = 'warning: Claude is not warm: The Claude worker ended with code 3.'

  test.each<[string, CliScript, Partial<EngineOptions>, readonly string[]]>([
    ['whose workers do not start', {}, {}, [notWarm]],
    ['that ignores a key', {}, { environment: key }, [ignored, notWarm]],
    ['that uses a key', {}, { environment: key, auth: 'api-key' }, [notWarm]],
    ['that cannot be used', { version: '2.1.128' }, {}, []],
  ])('%s', async (_, script, { environment, ...more }, expected) => {
    const { lines } = start(script, { environment: { PATH: process.env['PATH'], ...environment }, ...more })
    await executor.warm()
    expect(lines).toEqual([...expected])
    expect((await health())?.lastError?.code).toBe('unavailable')
  })

  test('says nothing where csp is closed meanwhile', async () => {
    const { lines, workers } = start({ onStart: 'exec sleep 60' })
    const warming = executor.warm()
    await eventually(() => workers() === 1)
    await executor.close()
    await warming
    expect(lines).toEqual([])
    expect((await health())?.lastError).toBeUndefined()
  })
})

test('the use of the plan is not asked of a CLI that has its login from the environment', async () => {
  const { cli, workers } = start({}, { environment: { PATH: process.env['PATH'], CLAUDE_CODE_OAUTH_TOKEN: 'token' } })
  expect(await executor.planUsage(signal)).toBeUndefined()
  expect([cli.probes(), workers()]).toEqual([0, 0])
})
