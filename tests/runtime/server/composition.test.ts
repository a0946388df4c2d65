import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { collect } from '../../../src/domain/answer.ts'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { pageReaderArgument } from '../../../src/runtime/page-reader-argument.ts'
import { openComposition } from '../../../src/runtime/server/composition.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { descendantsOf, runningClaudes } from '../../support/processes.ts'
import { standInClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../../support/real-claude.ts'

let home: ScratchHome
beforeEach(async () => {
  home = await scratchHome()
})
afterEach(() => home[Symbol.asyncDispose]())

const searxngConfig = (settings: Readonly<Record<string, unknown>> = {}) => ({
  ...configSchema.parse({ backends: 'searxng', searxngUrl: 'http://127.0.0.1:9', ...settings }),
  cacheDir: join(home.path, 'cache'),
  stateDir: join(home.path, 'state'),
  keyFile: join(home.path, 'keys.json'),
})

test('a long-running process sweeps its cache every hour until it closes', async () => {
  const [start, stop] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')]
  try {
    const composition = openComposition(searxngConfig(), {}, () => {})
    for (let times = 0; times < 2; times++) await composition.settle()
    const hourly = start.mock.calls.flatMap(([, ms], index) =>
      ms === 3_600_000 ? [start.mock.results[index]?.value] : [],
    )
    expect(hourly).toHaveLength(1)
    await composition.close()
    const stopped: readonly unknown[] = stop.mock.calls.map(([timer]) => timer)
    expect(stopped).toContain(hourly[0])
  } finally {
    start.mockRestore()
    stop.mockRestore()
  }
})

test('a process that is closed while it starts sweeps no more', async () => {
  const start = spyOn(globalThis, 'setInterval')
  try {
    const composition = openComposition(searxngConfig({ pages: 'off' }), {}, () => {})
    const settling = composition.settle()
    await composition.close()
    await settling
    expect(start.mock.calls.filter(([, ms]) => ms === 3_600_000)).toEqual([])
  } finally {
    start.mockRestore()
  }
})

test('a login is opened when somebody signs in, and says what it lacks', async () => {
  const config = { ...searxngConfig({ backends: 'claude' }), claudeBin: join(home.path, 'none') }
  const { signIn, close } = openComposition(config, {}, () => {})
  expect(await Array.fromAsync(signIn?.begin(new AbortController().signal) ?? [])).toEqual([
    { type: 'failed', message: 'The Claude Code CLI is not installed.' },
  ])
  expect(await signIn?.enter('one', 'code')).toBe(false)
  await close()
})

test('the sandbox writes, and is behind the gateway as well', async () => {
  const composition = openComposition(
    searxngConfig({ backends: 'messages', sandbox: true, pages: 'off' }),
    {},
    () => {},
  )
  try {
    const { signal } = new AbortController()
    const answer = await collect(composition.executor.search(requestFor('seals', { want: 'answer' }), { signal }))
    expect(answer.text).toContain('Sandbox answer')
    const [upstream] = (await composition.gateway())?.upstreams ?? []
    const messages = [{ role: 'user' as const, content: 'Seals?' }]
    const reply = upstream?.upstream.send({ model: 'm', max_tokens: 100, messages }, { signal })
    expect(JSON.stringify(await Array.fromAsync(reply ?? []))).toContain('Sandbox')
  } finally {
    await composition.close()
  }
})

test.each([
  [{}, 1],
  [{ excerpts: 'pages' }, 1],
  [{ excerpts: 'lines' }, 0],
  [{ pages: 'off' }, 0],
])('a long-running process with %j starts %d processes that read pages ahead', async (settings, count) => {
  // Another test of this process may have left one, which ends when it has nothing to do.
  const before = readers()
  const composition = openComposition(searxngConfig(settings), {}, () => {})
  await composition.settle()
  const started = () => readers().filter((pid) => !before.includes(pid))
  // A process that was started may not be what it runs yet.
  await eventually(() => started().length >= count)
  expect(started()).toHaveLength(count)
  await composition.close()
  await eventually(() => started().length === 0)
})

const readers = () =>
  descendantsOf(process.pid).flatMap(({ pid, command }) => (command.includes(pageReaderArgument) ? [pid] : []))

test.each([
  ['on', 1],
  ['off', 0],
] as const)('a long-running process with the warm-up %s starts %d CLIs ahead', async (warmUp, count) => {
  const config = { ...searxngConfig({ backends: 'claude', excerpts: 'lines', warmUp }), claudeBin: standInClaude() }
  const composition = openComposition(config, claudeEnvironment('http://127.0.0.1:9', home.path), () => {})
  await composition.settle()
  // A CLI that was started may not be what its process runs yet.
  await eventually(() => runningClaudes().writer.length >= count)
  expect(runningClaudes().writer).toHaveLength(count)
  expect(runningClaudes().direct).toHaveLength(count)
  // What it offers is known once it has been started.
  expect(composition.offered().length > 0).toBe(count > 0)
  await composition.close()
})
