import { describe, expect, test } from 'bun:test'
import { homesHealth, tunnelStatus } from '../../src/tunnel/status.ts'

const home = (more: object = {}) => ({
  ...{
    name: 'attic',
    connectedSince: '2026-01-01T00:00:00Z',
    lastSeen: '2026-01-01T00:00:01Z',
    running: 1,
    capacity: 5,
  },
  ...{ draining: false, silent: false },
  ...more,
})
const tunnel = (...homes: readonly object[]) => ({ fetch: async () => Response.json({ homes }) })
const health = (...homes: readonly object[]) => homesHealth(tunnel(...homes), 'home')

describe('the homes of an edge', () => {
  test('are ready where one of them is', async () => {
    const { ready, backends } = await health(home({ silent: true }), home({ name: 'cellar', roundTripMs: 7 }))
    expect(ready).toBe(true)
    expect(backends).toEqual([
      {
        name: 'home',
        ready: true,
        engines: {
          attic: 'does not answer, connected since 2026-01-01T00:00:00Z, 1 running',
          cellar: 'ready, connected since 2026-01-01T00:00:00Z, 7 ms away, 1 running',
        },
      },
    ])
  })

  test.each([
    [[], /No home is connected/, {}],
    [[home({ silent: true })], /No home answers/, { attic: /does not answer/ }],
    [[home({ problem: 'It is signed out.' })], /^attic: It is signed out\.$/, { attic: /rests/ }],
    [[home({ draining: true })], /No home answers/, { attic: /is stopping/ }],
    [
      [home({ problem: 'It is signed out.' }), home({ name: 'cellar', silent: true, problem: 'It has no CLI.' })],
      /^attic: It is signed out\. cellar: It has no CLI\.$/,
      { attic: /rests \(It is signed out/, cellar: /does not answer/ },
    ],
  ])('that cannot answer say why: %#', async (homes, problem, engines) => {
    const found = await health(...homes)
    expect([found.ready, found.backends[0]?.ready]).toEqual([false, false])
    expect(found.backends[0]?.problem).toMatch(problem)
    for (const [name, words] of Object.entries(engines)) expect(found.backends[0]?.engines?.[name]).toMatch(words)
  })

  test('are unknown where the tunnel is not reached, or says something else', async () => {
    const failing = [
      { fetch: async () => Promise.reject(new Error('It is gone.')) },
      { fetch: async () => Response.json({ homes: [{ name: 'attic' }] }) },
      { fetch: async () => new Response('<html>') },
    ]
    for (const each of failing) {
      const { ready, backends } = await homesHealth(each, 'home')
      expect([ready, backends[0]?.ready, backends[0]?.problem]).toEqual([false, false, 'The tunnel is not reachable.'])
      await expect(tunnelStatus(each)).rejects.toThrow()
    }
  })
})
