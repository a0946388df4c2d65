import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type ClaudeFixture, startClaude, strategies } from '../support/claude-executor.ts'
import { startCsp } from '../support/csp-process.ts'
import { failureOf } from '../support/failure-of.ts'
import { testNeeding } from '../support/needs.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { scratchHome } from '../support/real-claude.ts'
import { fewSearchServers, wayOf, waysOfEachStrategy } from './ask.ts'
import { isFull } from './full.ts'

// The clock of the machine set forward or back. What the cache makes of it is in tests/executor/layers/cache/cached.test.ts.

afterEach(() => setSystemTime())

const hour = 3_600_000
const jumps = {
  'a day back': -24 * hour,
  ...(isFull && { 'an hour forward': hour, 'an hour back': -hour, 'a day forward': 24 * hour }),
}

describe.each(Object.entries(jumps))('the clock goes %s', (_, milliseconds) => {
  const jump = () => setSystemTime(Date.now() + milliseconds)

  test('and a CLI that was missing before is still found afterwards', async () => {
    let binary: string | undefined
    await using claude: ClaudeFixture = await startClaude({ findBinary: () => binary })
    expect((await failureOf(claude.search('seals'))).code).toBe('unavailable')
    binary = standInClaude()
    jump()
    expect((await claude.search('seals')).searches[0]?.results).toHaveLength(8)
  })

  test('in the middle of a search, and the search ends normally', async () => {
    await using claude = await startClaude({ sandbox: { thinkMs: 300 } })
    const asked = Promise.all([claude.search('seals', strategies.standard), claude.search('terns', strategies.deep)])
    await claude.sandbox.until(({ calls }) => calls > 0)
    jump()
    expect((await asked).map(({ reason }) => reason)).toEqual(['stop', 'stop'])
    expect((await claude.executor.health()).ready).toBe(true)
  })
})

/** A library that gives a process another time; the package `faketime` of Debian brings it. */
const library = [
  process.env['FAKETIME_LIBRARY'],
  ...new Glob('*/faketime/libfaketimeMT.so.1').scanSync({ cwd: '/usr/lib', absolute: true }),
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

testNeeding('libfaketime', Boolean(library))(
  'a csp whose clock jumps while it runs keeps working and trusts no age from the future',
  async () => {
    await using standIn = startSandbox()
    await using folder = await scratchHome()
    const offset = join(folder.path, 'offset')
    writeFileSync(offset, '+0')
    const csp = await startCsp({
      standInUrl: standIn.url,
      flags: ['--rate', '0', ...fewSearchServers],
      environment: {
        LD_PRELOAD: library ?? '',
        FAKETIME_TIMESTAMP_FILE: offset,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    })
    const search = async () => {
      const reply = await wayOf('a list, Brave').send(csp.url, 'harbour seals')
      await reply.text()
      return [reply.status, reply.headers.get('x-cache')]
    }
    try {
      expect([await search(), await search()]).toEqual([
        [200, 'miss'],
        [200, 'hit'],
      ])
      for (const jump of ['+2h', '-1h', '-1d', '+1d']) {
        writeFileSync(offset, jump)
        expect([jump, await search(), await search()]).toEqual([jump, [200, 'miss'], [200, 'hit']])
        for (const way of waysOfEachStrategy) {
          expect([jump, way.name, (await way.send(csp.url, `after ${jump}`)).status]).toEqual([jump, way.name, 200])
        }
        const health = (await (await fetch(`${csp.url}/health`)).json()) as { status: string; uptime_seconds: number }
        expect(health.status).toBe('ok')
        expect(health.uptime_seconds).toBeGreaterThanOrEqual(0)
      }
    } finally {
      await csp.stop()
    }
  },
)
