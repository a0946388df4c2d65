import { afterAll, afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../src/domain/answer.ts'
import { cached } from '../../src/executor/layers/cache/cached.ts'
import { files } from '../../src/storage/files.ts'
import { openStore } from '../../src/storage/store.ts'
import { serveApi } from '../executor/backends/http/api-server.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { fakeExecutor, requestFor } from '../support/fake-executor.ts'
import { testNeeding } from '../support/needs.ts'
import { descendantsOf, killListed } from '../support/processes.ts'
import { type ScratchHome, scratchHome } from '../support/real-claude.ts'
import { mayMount, mount } from '../support/small-disk.ts'
import { fewSearchServers, wayOf, waysOfEachStrategy } from './ask.ts'
import { isFull } from './full.ts'

// What can be wrong with the disk below csp. How entries are written is in tests/storage.

const standIn = startSandbox()
afterAll(() => standIn.stop())
let folder: ScratchHome
beforeEach(async () => {
  folder = await scratchHome()
})
afterEach(() => folder[Symbol.asyncDispose]())

describe('an entry of the cache', () => {
  // A search goes on without a disk that takes long: here each entry is waited for.
  let patience: Mock<typeof AbortSignal.timeout>
  beforeEach(() => {
    patience = spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  })
  afterEach(() => patience.mockRestore())

  /** Searches with a cache that has nothing in memory; says whether the answer came from the file. */
  async function ask(): Promise<{ readonly found: number; readonly hit: boolean }> {
    const inner = fakeExecutor()
    const store = openStore(files({ directory: folder.path }))
    const executor = cached({ storage: store, ttlSeconds: 60 })(inner)
    const answer = await collect(executor.search(requestFor('seals'), { signal: new AbortController().signal }))
    await executor.close()
    return { found: answer.searches[0]?.results.length ?? 0, hit: inner.requests.length === 0 }
  }

  const pathOfEntry = () => {
    const name = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.json'))
    return join(folder.path, name ?? '')
  }

  test('that is cut at any byte is a miss and is replaced', async () => {
    await ask()
    const path = pathOfEntry()
    const whole = readFileSync(path)
    expect((await ask()).hit).toBe(true)
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length))
      expect({ length, ...(await ask()) }).toEqual({ length, found: 2, hit: false })
    }
    expect(statSync(path).size).toBeGreaterThanOrEqual(whole.length - 5) // its times may be a digit shorter
  })

  test('with any bit flipped breaks no search', async () => {
    await ask()
    const path = pathOfEntry()
    const whole = readFileSync(path)
    // Neither step has a factor in common with eight: each meets every place within a byte.
    for (let bit = 0; bit < whole.length * 8; bit += isFull ? 3 : 11) {
      const flipped = Buffer.from(whole)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      writeFileSync(path, flipped)
      expect((await ask()).found).toBeGreaterThan(0)
    }
  })
})

interface Health {
  readonly cache: { readonly problem?: string }
}

const problemOf = async ({ url }: CspProcess) => ((await (await fetch(`${url}/health`)).json()) as Health).cache.problem

/** The reply does not wait until it is kept. */
const untilProblem = (csp: CspProcess, word: string) =>
  eventually(async () => (await problemOf(csp))?.includes(word) ?? false)

async function search(csp: CspProcess, query: string): Promise<void> {
  const reply = await wayOf('a list, Brave').send(csp.url, query)
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining(query)])
}

/** A csp for one test, whose cache is below this path. */
async function cspWith(
  cache: string,
  more: readonly string[],
  environment: Record<string, string> = {},
): Promise<CspProcess & AsyncDisposable> {
  const csp = await startCsp({
    standInUrl: standIn.url,
    flags: ['--rate', '0', ...more],
    environment: { ...environment, XDG_CACHE_HOME: cache },
  })
  return { ...csp, [Symbol.asyncDispose]: csp.stop }
}

describe('the cache on the disk', () => {
  /** Who searches does not matter to the cache: a SearXNG, for which no CLI starts. */
  const searx = serveApi(() => Response.json({ query: '', results: [page], unresponsive_engines: [] }))
  const page = { url: 'https://seals.example/', title: 'Seals', content: 'They are seals.' }
  afterAll(() => searx[Symbol.asyncDispose]())
  const cachingAt = (cache: string) => cspWith(cache, ['--backends', 'searxng', '--searxng-url', searx.url])

  testNeeding('the right to mount', mayMount)(
    'is full: searches go on, the health says so, and it recovers',
    async () => {
      const cache = join(folder.path, 'disk')
      // Large enough for what the runtime keeps of the sources there, where csp runs from them.
      using _disk = mount(cache, 'size=32m')
      await using csp = await cachingAt(cache)
      writeFileSync(join(cache, 'filler'), '')
      try {
        writeFileSync(join(cache, 'filler'), Buffer.alloc(64 * 1024 * 1024))
      } catch {
        // It is full now.
      }
      await search(csp, 'grey whales')
      await untilProblem(csp, 'ENOSPC')
      await search(csp, 'grey whales') // from memory
      rmSync(join(cache, 'filler'))
      await search(csp, 'harbour seals')
      await eventually(async () => (await problemOf(csp)) === undefined)
    },
  )

  testNeeding('the right to mount', mayMount)('cannot be written: searches go on, and the health says so', async () => {
    const cache = join(folder.path, 'disk')
    using _disk = mount(cache, 'size=64k,ro')
    await using csp = await cachingAt(cache)
    await search(csp, 'grey whales')
    await untilProblem(csp, 'EROFS')
  })

  test('has a file in its place: searches go on, and the health says so', async () => {
    const cache = join(folder.path, 'taken')
    writeFileSync(cache, '')
    await using csp = await cachingAt(cache)
    await search(csp, 'grey whales')
    await untilProblem(csp, 'write')
  })

  test('is removed while csp runs: it is created again', async () => {
    const cache = join(folder.path, 'cache')
    await using csp = await cachingAt(cache)
    const hasEntry = () =>
      existsSync(cache) && readdirSync(cache, { recursive: true }).some((name) => String(name).endsWith('.json'))
    await search(csp, 'grey whales')
    await eventually(hasEntry)
    renameSync(cache, join(folder.path, 'gone')) // all at once, whatever csp writes at this moment
    await search(csp, 'harbour seals')
    await eventually(hasEntry)
    expect(await problemOf(csp)).toBeUndefined()
  })
})

describe('the folders of csp', () => {
  testNeeding('Linux', process.platform === 'linux')(
    'are removed while it runs: the next CLI gets a new folder',
    async () => {
      await using csp = await cspWith(join(folder.path, 'cache'), fewSearchServers)
      for (const way of waysOfEachStrategy) await (await way.send(csp.url, 'grey whales')).text()
      const own = readdirSync(csp.home).filter((name) => /^csp-(scratch-|\d+$)/.test(name))
      expect(own).toHaveLength(2)
      for (const name of own) {
        rmSync(join(csp.home, name), { recursive: true })
      }
      for (const way of waysOfEachStrategy)
        expect([way.name, (await way.send(csp.url, 'harbour seals')).status]).toEqual([way.name, 200])
      const claudes = descendantsOf(csp.serverPid()).filter(({ command }) => command.includes('claude'))
      expect(claudes.length).toBeGreaterThan(1)
      for (const { pid } of claudes) killListed(pid)
      for (const way of waysOfEachStrategy)
        expect([way.name, (await way.send(csp.url, 'terns')).status]).toEqual([way.name, 200])
    },
  )

  testNeeding('the right to mount', mayMount)('stay usable when HOME cannot be written: searches go on', async () => {
    const home = join(folder.path, 'home')
    using _disk = mount(home, 'size=64k,ro')
    await using csp = await cspWith(join(folder.path, 'cache'), fewSearchServers, { HOME: home })
    for (const way of waysOfEachStrategy)
      expect([way.name, (await way.send(csp.url, 'harbour seals')).status]).toEqual([way.name, 200])
  })
})
