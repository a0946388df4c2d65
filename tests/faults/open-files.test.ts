import { afterAll, expect } from 'bun:test'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { rawConnection } from '../security/raw-connection.ts'
import { startCsp } from '../support/csp-process.ts'
import { testNeeding } from '../support/needs.ts'

// More connections than csp may have files open. What the limit does is in tests/runtime/server/connection-limit.test.ts.

const knowsFiles = process.platform !== 'win32'
const standIn = startSandbox()
afterAll(() => standIn.stop())

const started = async (openFiles: number) => {
  const csp = await startCsp({ standInUrl: standIn.url, openFiles, flags: ['--rate', '0'] })
  // Everything that a search needs is loaded.
  expect((await search(csp.url, 'first')).status).toBe(200)
  return { ...csp, [Symbol.asyncDispose]: csp.stop }
}

/** Who has waited so long has been locked out, for as long as the others stay. */
const lockedOutMs = 45_000
/** On a connection of its own. */
const search = (url: string, query: string) =>
  fetch(`${url}/v1/search?q=${query}`, { keepalive: false, signal: AbortSignal.timeout(lockedOutMs) })

testNeeding('a limit of files', knowsFiles)('idle connections beyond the limit lock nobody out', async () => {
  await using csp = await started(128)
  let isOver = false
  const idle = Array.from({ length: 300 }, async () => {
    // Whoever is put out comes back.
    while (!isOver) await (await rawConnection(csp.url)).closed
  })
  await Bun.sleep(2_000)
  for (const query of ['second', 'third', 'fourth']) expect((await search(csp.url, query)).status).toBe(200)
  isOver = true
  await Promise.all(idle)
})

testNeeding('a limit of files', knowsFiles)(
  'those who ask all the time whether csp lives lock nobody out',
  async () => {
    await using csp = await started(128)
    let isOver = false
    let answers = 0
    const askers = Array.from({ length: 160 }, async () => {
      while (!isOver) {
        const connection = await rawConnection(csp.url)
        for (let count = 1; !isOver && !connection.socket.destroyed; count++) {
          connection.send('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
          await connection.replies(count)
          answers += 1
          await Bun.sleep(250)
        }
        connection.socket.destroy()
      }
    })
    for (const query of ['second', 'third', 'fourth']) expect((await search(csp.url, query)).status).toBe(200)
    isOver = true
    await Promise.all(askers)
    expect(answers).toBeGreaterThanOrEqual(160)
  },
)

testNeeding('a limit of files', knowsFiles)('searches of one caller that do not end keep nobody else out', async () => {
  await using csp = await started(64)
  const release = standIn.hold()
  const greedy = Array.from({ length: 60 }, async (_, number) => {
    const reply = await fetch(`${csp.url}/v1/search?q=greedy${number}`, {
      keepalive: false,
      headers: { 'user-agent': 'greedy' },
    })
    return { status: reply.status, body: await reply.json() }
  })
  try {
    const refused = await Promise.race(greedy)
    expect(refused).toEqual({ status: 503, body: expect.objectContaining({ error: expect.anything() }) })
    for (let time = 0; time < 3; time++) {
      const signal = AbortSignal.timeout(lockedOutMs)
      expect((await fetch(`${csp.url}/health/live`, { keepalive: false, signal })).status).toBe(200)
    }
  } finally {
    release()
  }
  const statuses = (await Promise.all(greedy)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect((await search(csp.url, 'third')).status).toBe(200)
})
