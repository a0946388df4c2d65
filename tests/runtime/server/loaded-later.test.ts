import { describe, expect, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { loadedLater, openComposition } from '../../../src/runtime/server/composition.ts'
import { failureOf } from '../../support/failure-of.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { type ScratchHome, scratchHome } from '../../support/real-claude.ts'
import { answered, scriptedExecutor } from '../../support/scripted-executor.ts'

const context = () => ({ signal: new AbortController().signal })

describe('an executor that is loaded at its first use', () => {
  /** One whose load fails so often, and what happened to it. */
  function later(failures = 0) {
    const inner = scriptedExecutor(() => answered)
    const seen = { loads: 0, closes: 0 }
    const executor = loadedLater('claude, brave', async () => {
      if (++seen.loads <= failures) throw new Error('a.ts is broken')
      return { ...inner, close: async () => void seen.closes++ }
    })
    return { executor, seen }
  }
  const search = (executor: ReturnType<typeof loadedLater>) => collect(executor.search(requestFor('seals'), context()))

  test('is loaded once, and closed if it was loaded', async () => {
    const { executor, seen } = later()
    expect([executor.name, seen.loads]).toEqual(['claude, brave', 0])
    await Promise.all([search(executor), search(executor), executor.health()])
    await executor.close()
    expect(seen).toEqual({ loads: 1, closes: 1 })
    const unused = later()
    await unused.executor.close()
    expect(unused.seen).toEqual({ loads: 0, closes: 0 })
  })

  test('is not ready while it cannot be loaded, says so without a word of the cause, and is tried again', async () => {
    const { executor, seen } = later(2)
    const { code, message } = await failureOf(search(executor))
    expect(code).toBe('failed')
    const { ready, backends } = await executor.health()
    expect([ready, backends.map(({ name, ready: isReady }) => [name, isReady])]).toEqual([
      false,
      [['claude, brave', false]],
    ])
    expect(backends[0]?.problem).toBeString()
    expect(message + backends[0]?.problem).not.toContain('a.ts')
    expect((await executor.health()).ready).toBe(true)
    expect(seen.loads).toBe(3)
  })

  test('is not loaded after its end', async () => {
    const { executor, seen } = later()
    await executor.close()
    expect(await failureOf(search(executor))).toMatchObject({ code: 'unavailable', message: 'csp is stopping.' })
    expect(await executor.health()).toMatchObject({ ready: false, backends: [{ problem: 'csp is stopping.' }] })
    expect(seen.loads).toBe(0)
  })
})

describe('what is connected', () => {
  /** What a csp with these settings offers, none of which is loaded. */
  async function offers(settings: Readonly<Record<string, unknown>>) {
    const home: ScratchHome = await scratchHome()
    const config = configSchema.parse({ searxngUrl: 'http://127.0.0.1:9', ...settings })
    const folders = {
      cacheDir: `${home.path}/cache`,
      stateDir: `${home.path}/state`,
      keyFile: `${home.path}/keys.json`,
    }
    const composition = openComposition({ ...config, ...folders }, {}, () => {})
    const { executor, signIn, memory, jobs, pages } = composition
    const isThere = (part: unknown) => part !== undefined
    const found = {
      signIn: isThere(signIn),
      memory: [isThere(memory), executor.recalls],
      isSandbox: executor.isSandbox,
      jobs: isThere(jobs),
      pages: isThere(pages),
      upstreams: (await composition.gateway())?.upstreams.map(({ name }) => name),
      models: composition.offered(),
    }
    await composition.close()
    await home[Symbol.asyncDispose]()
    return found
  }
  const usual = {
    ...{ signIn: true, memory: [true, true], isSandbox: false, jobs: true, pages: true },
    ...{ upstreams: undefined, models: [] },
  }

  test.each<[Readonly<Record<string, unknown>>, object]>([
    [{}, {}],
    [{ backends: 'searxng' }, { signIn: false }],
    [{ backends: 'searxng', writers: 'claude' }, {}],
    [{ backends: 'searxng', writers: 'messages', anthropicApiKey: 'k' }, { signIn: false }],
    [{ auth: 'api-key' }, { signIn: false }],
    [{ sandbox: true }, { signIn: false, isSandbox: true, upstreams: ['sandbox'] }],
    [{ memory: 'off' }, { memory: [false, false] }],
    [{ jobs: 0 }, { jobs: false }],
    [{ pages: 'off' }, { pages: false }],
  ])('with %j has what the settings ask for', async (settings, expected) => {
    expect(await offers(settings)).toEqual({ ...usual, ...expected } as never)
  })
})
