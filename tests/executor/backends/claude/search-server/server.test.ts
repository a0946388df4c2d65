import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { directArguments } from '../../../../../src/executor/backends/claude/cli/launch.ts'
import { type DirectSearch, SearchServer } from '../../../../../src/executor/backends/claude/search-server/server.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { type ScratchHome, scratchHome } from '../../../../support/real-claude.ts'
import { type CliScript, found, respond, scriptedCli, webSearch } from '../../../../support/scripted-cli.ts'

let folder: ScratchHome
let server: SearchServer | undefined
beforeEach(async () => {
  folder = await scratchHome()
})
afterEach(async () => {
  await server?.stop()
  await folder[Symbol.asyncDispose]()
})

const now = new Date('2026-03-15T12:00:00Z')
const { signal } = new AbortController()
const notStarted = { code: 'unavailable', message: 'The Claude CLI does not start as a search server.' } as const
const ended = { code: 'unavailable', message: 'The Claude search server ended in the middle of a search.' } as const

function open(script: CliScript, more: { readonly signal?: AbortSignal; readonly livenessMs?: number } = {}) {
  const cli = scriptedCli(folder.path, script)
  let gone = 0
  const process = {
    ...{ command: [cli.path, ...directArguments], directory: folder.path },
    environment: { PATH: globalThis.process.env['PATH'] ?? '' },
  }
  const starting = SearchServer.start({ process, version: '0', onGone: () => gone++, ...more }).then((it) => {
    server = it
    return it
  })
  return { cli, starting, gone: () => gone }
}

const search = (on: SearchServer, wanted: Partial<DirectSearch> = {}, until = signal) =>
  on.search({ query: 'seals', ...wanted }, until, now)

describe('a search server that does not start', () => {
  test.each([
    ['is killed once, is started again', '[ $starts = 1 ] && kill -9 $$', 2, undefined],
    ['is killed each time, is started twice', 'echo boom >&2; kill -9 $$', 2, 'boom\n'],
    ['ends by itself, is started once', 'echo boom >&2; exit 3', 1, 'boom\n'],
    [
      'does not speak MCP, is ended, and is not started again',
      `read -r line; printf '%s\\n' '{"jsonrpc":"2.0","id":0,"result":{}}'`,
      1,
      expect.any(Error),
    ],
  ])('since it %s', async (_, onServe, starts, cause) => {
    const { cli, starting } = open({ onServe })
    if (cause === undefined) expect((await starting).offersSearch).toBe(true)
    else expect(await failureOf(starting)).toMatchObject({ ...notStarted, cause })
    expect(cli.starts()).toHaveLength(starts)
  })

  test('is ended when its start is cancelled', async () => {
    const controller = new AbortController()
    const { cli, starting } = open({ onServe: 'exec sleep 60' }, { signal: controller.signal })
    const failing = failureOf(starting)
    await eventually(() => cli.starts().length === 1)
    controller.abort()
    expect(await failing).toMatchObject(notStarted)
    expect(cli.starts()).toHaveLength(1)
  })
})

test('a search server is told that it may begin before it lists its tools, and is gone once it is stopped', async () => {
  const { cli, starting, gone } = open({})
  const it = await starting
  expect(cli.notifications()).toEqual(['notifications/initialized'])
  expect([it.offersSearch, it.alive, it.running, it.served, it.isRetiring, gone()]).toEqual([
    true,
    true,
    0,
    0,
    false,
    0,
  ])
  await it.stop()
  expect([it.alive, gone()]).toEqual([false, 1])
})

test.each<[string, readonly object[], boolean]>([
  ['has WebSearch behind others', [{ ...webSearch, name: 'Bash' }, webSearch], true],
  ['has other tools alone', [{ ...webSearch, name: 'Bash' }], false],
])('a search server that %s', async (_, tools, offersSearch) => {
  expect((await open({ tools }).starting).offersSearch).toBe(offersSearch)
})

describe('a search is sent', () => {
  const withModes = (...modes: readonly string[]) => [
    { ...webSearch, inputSchema: { type: 'object', properties: { query: {}, mode: { enum: modes } } } },
  ]
  const sites = ['a.example']
  test.each<[string, readonly object[], Partial<DirectSearch>, object]>([
    ['by itself', [webSearch], {}, {}],
    ['with the wanted sites', [webSearch], { includeDomains: sites }, { allowed_domains: sites }],
    ['with the unwanted sites', [webSearch], { excludeDomains: sites }, { blocked_domains: sites }],
    [
      'with one of both lists',
      [webSearch],
      { includeDomains: sites, excludeDomains: ['b.example'] },
      { allowed_domains: sites },
    ],
    ['without empty lists', [webSearch], { includeDomains: [], excludeDomains: [] }, {}],
    ['in the standard mode, if there is one', withModes('deep', 'standard'), {}, { mode: 'standard' }],
    ['in no mode, if that is not among them', withModes('deep'), {}, {}],
  ])('%s', async (_, tools, wanted, more) => {
    const { cli, starting } = open({ tools })
    expect(await search(await starting, wanted)).toMatchObject({ searched: true, hits: [{ title: 'Seals' }] })
    expect(cli.searches()).toEqual([{ query: 'seals', ...more }])
  })
})

const text = (words: string) => ({ content: [{ type: 'text', text: words }] })
const unclear = 'The Claude search server sent a reply that csp does not understand.'

test.each<[string, object, object]>([
  [
    'an error of the tool is explained',
    { ...text('API Error: 429'), isError: true },
    { code: 'rate-limited', cause: 'API Error: 429' },
  ],
  ['a text that is no JSON', text('no JSON'), { code: 'failed', message: unclear, cause: expect.any(SyntaxError) }],
  ['a JSON without results', text('{}'), { code: 'failed', message: unclear, cause: expect.anything() }],
  ['no content', { content: [] }, { code: 'failed', message: unclear, cause: { name: 'ZodError' } }],
  [
    'an image in place of a text',
    { content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
    { code: 'failed', message: unclear, cause: { name: 'ZodError' } },
  ],
])('a reply that cannot be used fails its search, and the server goes on: %s', async (_, reply, failure) => {
  const onSearch = `case "$line" in *seals*) ${respond(reply)} ;; *) ${found()} ;; esac`
  const it = await open({ onSearch }).starting
  expect(await failureOf(search(it))).toMatchObject(failure)
  expect((await search(it, { query: 'terns' })).searched).toBe(true)
  expect([it.alive, it.running, it.served]).toEqual([true, 0, 2])
})

test('a search that is cancelled is cancelled at the server, and the others on it continue', async () => {
  // The first search is answered as soon as another one has been cancelled.
  const onSearch = `case "$line" in *seals*) first=$id ;; *terns*) id=$first; read -r line; printf '%s\\n' "$line" >> "$folder/notifications"; ${found()} ;; esac`
  const { cli, starting } = open({ onSearch })
  const it = await starting
  const controller = new AbortController()
  const first = search(it)
  const second = failureOf(search(it, { query: 'terns' }, controller.signal))
  await eventually(() => cli.searches().length === 2)
  controller.abort()
  expect(await second).toMatchObject({ code: 'cancelled' })
  expect((await first).searched).toBe(true)
  expect(cli.notifications()).toContain('notifications/cancelled')
  expect(it.alive).toBe(true)
})

test('a server that is to retire takes its last searches to the end, and stops with the last of them', async () => {
  const onSearch = `while [ ! -e "$folder/$id" ]; do sleep 0.01; done; ${found()}`
  const { starting, gone } = open({ onSearch })
  const it = await starting
  const [first, second] = [search(it), search(it)] // of ids 2 and 3
  it.retire()
  expect([it.isRetiring, it.alive, it.running]).toEqual([true, true, 2])
  writeFileSync(join(folder.path, '2'), '')
  expect((await first).searched).toBe(true)
  expect(it.alive).toBe(true)
  writeFileSync(join(folder.path, '3'), '')
  expect((await second).searched).toBe(true)
  expect(it.alive).toBe(false)
  await eventually(() => gone() === 1)
})

test('a server without work stops as soon as it is to retire', async () => {
  const it = await open({}).starting
  it.retire()
  expect(it.alive).toBe(false)
})

describe('a server that is silent at work', () => {
  test('is stopped if it does not answer a ping, whatever else it writes', async () => {
    const onPing = ':'
    const onSearch = `for i in 1 2 3; do printf '%s\\n' noise '[]' 'null' '{"type":"noise"}'; done`
    const it = await open({ onSearch, onPing }, { livenessMs: 20 }).starting
    expect(await failureOf(search(it))).toMatchObject(ended)
    expect(it.alive).toBe(false)
  })

  test('is not stopped while it answers', async () => {
    const onPing = `${respond({})}; pings=$((pings + 1)); [ $pings = 5 ] && { id=$first; ${found()}; }`
    const it = await open({ onSearch: 'first=$id', onPing }, { livenessMs: 100 }).starting
    expect((await search(it)).searched).toBe(true)
  })

  test('is asked nothing without work', async () => {
    const { cli, starting } = open(
      { onPing: `printf '%s\\n' "$line" >> "$folder/notifications"; ${respond({})}` },
      { livenessMs: 200 },
    )
    await search(await starting)
    const asked = cli.notifications().length
    await Bun.sleep(700)
    expect(cli.notifications().length).toBeLessThanOrEqual(asked + 1) // one that was on its way
  })
})
