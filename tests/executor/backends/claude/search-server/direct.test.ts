import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { directArguments } from '../../../../../src/executor/backends/claude/cli/launch.ts'
import { DirectEngine } from '../../../../../src/executor/backends/claude/search-server/direct.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { type ScratchHome, scratchHome } from '../../../../support/real-claude.ts'
import { type CliScript, found, respond, scriptedCli, webSearch } from '../../../../support/scripted-cli.ts'

let folder: ScratchHome
let engine: DirectEngine
beforeEach(async () => {
  folder = await scratchHome()
})
afterEach(async () => {
  await engine.close()
  await folder[Symbol.asyncDispose]()
})

function open(script: CliScript, more: Partial<ConstructorParameters<typeof DirectEngine>[0]> = {}) {
  const cli = scriptedCli(folder.path, script)
  const lines: string[] = []
  engine = new DirectEngine({
    process: () => ({
      ...{ command: [cli.path, ...directArguments], directory: folder.path },
      environment: { PATH: process.env['PATH'] ?? '' },
    }),
    ...{ version: '0', idleMs: 60_000, maxSearches: 1000, now: () => new Date(), log: (line) => lines.push(line) },
    ...more,
  })
  return { ...cli, lines }
}

const search = (query = 'seals', signal = new AbortController().signal) => engine.search({ query }, signal)
const tool = (words: string) => respond({ content: [{ type: 'text', text: words }], isError: true })
/** A search whose query is a path waits until this file is there. */
const waits = `for it in one two; do case "$line" in *$it*) while [ ! -e "$folder/$it" ]; do sleep 0.01; done ;; esac; done`
const goOn = (name: string) => writeFileSync(join(folder.path, name), '')

test('searches share one process, whose state says what it does', async () => {
  const { starts } = open({ onSearch: `${waits}; ${found()}` })
  expect(engine.state).toBe('stopped')
  const first = search('one')
  expect(engine.state).toBe('starting')
  const second = search('two')
  await eventually(() => engine.state === 'ready, 2 running, 2 served')
  goOn('one')
  goOn('two')
  await Promise.all([first, second])
  await search()
  expect(engine.state).toBe('ready, 0 running, 3 served')
  expect(starts()).toHaveLength(1)
})

describe('a search whose process ends is repeated once', () => {
  test.each([
    ['it works then', '[ $starts = 1 ] && exit', 2, undefined],
    ['it ends again', 'exit', 2, { code: 'unavailable', message: expect.stringContaining('in the middle') }],
    ['but not one that the server refused', tool('API Error: 529'), 1, { code: 'unavailable' }],
  ])('%s', async (_, onSearch, calls, failure) => {
    const { searches, starts } = open({ onSearch: `${onSearch}; ${found()}` })
    if (failure) expect(await failureOf(search())).toMatchObject(failure)
    else expect((await search()).searched).toBe(true)
    expect([searches().length, starts().length]).toEqual([calls, calls])
  })

  test('but not one that was cancelled', async () => {
    const controller = new AbortController()
    const { searches, starts } = open({ onSearch: 'exec sleep 60' })
    const failing = failureOf(search('seals', controller.signal))
    await eventually(() => searches().length === 1)
    const closing = engine.close()
    controller.abort()
    expect(await failing).toMatchObject({ code: 'cancelled' })
    await closing
    expect(starts()).toHaveLength(1)
  })
})

test('a process without WebSearch gets no search', async () => {
  const { searches } = open({ tools: [{ ...webSearch, name: 'Bash' }] })
  const failure = { code: 'unavailable', message: 'This Claude CLI offers no WebSearch over MCP.' } as const
  expect(await engine.warm()).toBe(false)
  expect(await failureOf(search())).toMatchObject(failure)
  expect(searches()).toEqual([])
})

test('a process that has used up its budget of searches serves no further one, and its end touches no other', async () => {
  const usedUp = found([`Web search was not performed: this session's web search budget is used up (limit: 1).`])
  const { starts, lines } = open({ onSearch: `${waits}; [ $starts = 1 ] && { ${usedUp}; } || { ${found()}; }` })
  const both = [search('one'), search('two')]
  await eventually(() => engine.state === 'ready, 2 running, 2 served')
  goOn('one')
  expect((await both[0])?.error).toBe('session_budget')
  expect(engine.state).toBe('stopped')
  expect((await search()).error).toBeUndefined()
  goOn('two')
  expect((await both[1])?.error).toBe('session_budget')
  await eventually(() => lines.includes('The search server has ended'))
  await search()
  expect(engine.state).toBe('ready, 0 running, 2 served')
  expect(starts()).toHaveLength(2)
  expect(lines).toEqual([
    'The search server has started',
    'The search server is let go: its budget of searches is used up',
    'The search server has started',
    'The search server has ended',
  ])
})

describe('an idle process', () => {
  test('ends after its idle time, and no sooner than its last search', async () => {
    const { starts, lines } = open({ onSearch: `${waits}; ${found()}` }, { idleMs: 50 })
    await engine.warm()
    const first = search('one')
    await Bun.sleep(100)
    expect(engine.state).toBe('ready, 1 running, 1 served')
    goOn('one')
    await first
    await eventually(() => engine.state === 'stopped' && lines.includes('The search server has ended'))
    expect(lines[1]).toBe('The search server is let go: it was idle for 0.05 s')
    await search()
    expect(starts()).toHaveLength(2)
  })

  test('that was only started ahead ends as well', async () => {
    open({}, { idleMs: 20 })
    expect(await engine.warm()).toBe(true)
    await eventually(() => engine.state === 'stopped')
  })

  test('is kept while another search runs on it', async () => {
    const { searches } = open(
      {
        onSearch: `case "$line" in *one*) one=$id ;; *) ${found()}; [ "$one" ] && [ -e "$folder/one" ] && { id=$one; ${found()}; } ;; esac`,
      },
      { idleMs: 20 },
    )
    const first = search('one')
    await eventually(() => searches().length === 1)
    await search('short')
    await Bun.sleep(60)
    expect(engine.state).toBe('ready, 1 running, 2 served')
    goOn('one')
    await search('last')
    expect((await first).searched).toBe(true)
  })

  test('is kept for ever where it may be idle for ever', async () => {
    open({}, { idleMs: Number.POSITIVE_INFINITY })
    await search()
    await Bun.sleep(20)
    expect(engine.state).toBe('ready, 0 running, 1 served')
  })
})

describe('an engine that is closed', () => {
  const stubborn = `trap 'sleep 0.1; : > "$folder/gone"; exit' TERM`

  test.each([
    ['that serves', ''],
    ['that still starts', 'while [ -d "$folder" ]; do sleep 0.01; done'],
  ])('waits for the end of a process %s, and starts no other', async (_, rest) => {
    const { starts } = open({ onStart: stubborn, onServe: rest })
    const begun = rest ? failureOf(search()) : search()
    if (!rest) await begun
    await eventually(() => starts().length === 1)
    await engine.close()
    expect(existsSync(join(folder.path, 'gone'))).toBe(true)
    await begun
    expect(await failureOf(search())).toMatchObject({ code: 'unavailable', message: 'csp is shutting down.' })
    expect(starts()).toHaveLength(1)
  })
})

test('an engine without a process lets none go, and says nothing of it', async () => {
  const { lines } = open({})
  engine.recycle('it may not know of a new login')
  expect(lines).toEqual([])
  await search()
  engine.recycle()
  expect(engine.state).toBe('stopped')
  expect(lines).not.toContain('The search server is let go: undefined')
})
