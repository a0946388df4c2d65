import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { describeNeeding } from '../support/needs.ts'
import { descendantsOf, untilGone } from '../support/processes.ts'
import { launcher } from '../support/tested-program.ts'
import { fewSearchServers, type Way, wayOf, waysOfEachStrategy } from './ask.ts'
import { isFull } from './full.ts'

// csp itself killed, or asked to stop, with searches under way.

const standIn = startSandbox()
const { sandbox } = standIn
beforeEach(() => sandbox.configure({ scenario: 'ok', thinkMs: 0 }))
afterAll(() => standIn.stop())

const flags = ['--rate', '0', '--concurrency', '4', '--answers', 'pages', ...fewSearchServers]
const isLinux = process.platform === 'linux'
const scratchIn = (home: string) => readdirSync(home).filter((name) => name.startsWith('csp-scratch-'))

const pidsBelow = (csp: CspProcess) => descendantsOf(csp.serverPid()).map(({ pid }) => pid)

/** Starts `count` searches at once; their replies are not read yet. */
function load(csp: CspProcess, way: Way, count: number): readonly Promise<Response>[] {
  return Array.from({ length: count }, (_, index) => way.send(csp.url, `subject ${index} of ${way.name}`))
}

describeNeeding('Linux', isLinux)('csp killed with SIGKILL under load', () => {
  test('leaves no process; the next start clears its folder, finds its cache whole and its port free', async () => {
    const csp = await startCsp({ standInUrl: standIn.url, program: launcher, flags })
    const { home, url } = csp
    const kept = await wayOf('a list, Brave').send(url, 'what is kept')
    const before = await kept.json()
    // It is written after its reply.
    const cache = join(home, '.cache/csp')
    const entries = () => readdirSync(cache, { recursive: true }).filter((name) => String(name).endsWith('.json'))
    await eventually(() => existsSync(cache) && entries().length > 0)
    sandbox.configure({ scenario: 'hang' })
    const asked = waysOfEachStrategy.map((way) => way.send(url, 'harbour seals').catch((error: unknown) => error))
    await sandbox.until(({ open }) => open >= 3)
    await eventually(() => pidsBelow(csp).length > 3)
    const pids = pidsBelow(csp)
    await csp.kill('SIGKILL')
    for (const outcome of await Promise.all(asked)) expect(outcome).toBeInstanceOf(Error)
    await untilGone(pids)
    await sandbox.until(({ open }) => open === 0)
    expect(scratchIn(home)).toHaveLength(1)

    sandbox.configure({ scenario: 'ok' })
    const next = await startCsp({
      standInUrl: standIn.url,
      program: launcher,
      flags,
      home,
      port: Number(new URL(url).port),
    })
    const again = await wayOf('a list, Brave').send(next.url, 'what is kept')
    expect([again.status, again.headers.get('x-cache')]).toEqual([200, 'hit'])
    expect(await again.json()).toEqual(before)
    for (const way of waysOfEachStrategy)
      expect([way.name, (await way.send(next.url, 'grey whales')).status]).toEqual([way.name, 200])
    expect(scratchIn(home)).toHaveLength(1)
    await next.stop()
  })
})

describe.each(isFull ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))(
  'csp told to stop by %s under load',
  (signal) => {
    let short: readonly (readonly [status: number, text: string])[] = []
    let long: { readonly whole: number | 'cut' | undefined; readonly streamed: string } = {
      whole: undefined,
      streamed: '',
    }
    let left: { readonly isListening: boolean; readonly scratch: readonly string[] } | undefined

    // One stop, with searches of both kinds under way.
    beforeAll(async () => {
      const csp = await startCsp({ standInUrl: standIn.url, program: launcher, flags })
      for (const way of waysOfEachStrategy) await (await way.send(csp.url, 'warm up')).text()
      sandbox.reset()
      sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'write' }] })
      const streamed = wayOf('standard, Anthropic, streamed').send(csp.url, 'harbour seals')
      const whole = wayOf('standard, OpenAI')
        .send(csp.url, 'harbour seals')
        .then(
          ({ status }) => status,
          () => 'cut' as const,
        )
      const stream = (await streamed).text().catch(() => 'cut')
      await sandbox.until(({ callsByKind }) => callsByKind.write === 2)
      // A list searches by itself, a fast answer within its one call.
      const searches = ({ callsByKind }: ReturnType<typeof sandbox.stats>) => callsByKind.search + callsByKind.answer
      const before = searches(sandbox.stats())
      // What hangs already goes on to.
      sandbox.configure({ scenario: 'ok', thinkMs: 700 })
      const asked = ['a list, Brave', 'fast, Sonar'].flatMap((name) => load(csp, wayOf(name), 2))
      await sandbox.until((stats) => searches(stats) === before + asked.length)
      const pids = isLinux ? pidsBelow(csp) : []
      process.kill(csp.pid, signal)
      short = await Promise.all(asked.map(async (reply) => [(await reply).status, await (await reply).text()] as const))
      long = { whole: await whole, streamed: await stream }
      const isListening = () =>
        fetch(csp.url).then(
          () => true,
          () => false,
        )
      await eventually(async () => !(await isListening()))
      await untilGone(pids)
      left = { isListening: await isListening(), scratch: scratchIn(csp.home) }
      await csp.stop()
      await sandbox.until(({ open }) => open === 0)
    })

    test('lets short searches finish and leaves nothing behind', () => {
      expect(short).toEqual(Array(4).fill([200, expect.stringContaining('subject')]))
      expect(left).toEqual({ isListening: false, scratch: [] })
    })

    test('ends long searches with an error or the end of their stream', () => {
      expect(long.whole).toBeOneOf(['cut', 503])
      expect(long.streamed).toMatch(/^cut$|event: error/)
    })
  },
)
