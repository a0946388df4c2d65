import { startSandbox } from '../packages/sandbox/test/support/sandbox.ts'
import { rawConnection } from '../tests/security/raw-connection.ts'
import { startCsp } from '../tests/support/csp-process.ts'
import { processorTime } from './processor-time.ts'

// More callers than csp may have files: 1.3 times as many, who come back five seconds after they are put out, and beside
// them every half second a stranger with a search and one that asks whether csp lives, on connections of their own.
// `node scripts/bun.mjs bench/connections.ts [FILES…]`

const seconds = 8
const live = 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const searching = (number: number) => `GET /v1/search?q=caller${number} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
type Connection = Awaited<ReturnType<typeof rawConnection>>

/** What each of the callers does on its connection. */
const kinds: Readonly<Record<string, (connection: Connection, number: number) => Promise<unknown>>> = {
  'send nothing': ({ closed }) => closed,
  'send half a head'(connection) {
    connection.send('GET /v1/search?q=a HTTP/1.1\r\nHost: 127')
    return connection.closed
  },
  async 'ask for /health/live, keep-alive'(connection) {
    for (let count = 1; !connection.socket.destroyed; count++) {
      connection.send(live)
      await connection.replies(count)
      await Bun.sleep(500)
    }
  },
  search(connection, number) {
    connection.send(searching(number))
    return Promise.race([connection.replies(1), connection.closed])
  },
}

const sandbox = startSandbox()
const sizes = process.argv.slice(2).map(Number)
for (const files of sizes.length > 0 ? sizes : [64, 256, 1024, 4096])
  for (const [kind, act] of Object.entries(kinds)) await measure(files, kind, act)
await sandbox.stop()

async function measure(files: number, kind: string, act: (typeof kinds)[string]): Promise<void> {
  const csp = await startCsp({ standInUrl: sandbox.url, openFiles: files, flags: ['--rate', '0'] })
  await stranger(csp.url, '/v1/search?q=first')
  let isOver = false
  const callers = Array.from({ length: Math.round(files * 1.3) }, async (_, number) => {
    await Bun.sleep(Math.random() * 1000)
    for (; !isOver; await Bun.sleep(5000)) {
      const connection = await rawConnection(csp.url).catch(() => undefined)
      if (connection && !isOver) await Promise.race([act(connection, number), until(() => isOver)])
      connection?.socket.destroy()
    }
  })
  await Bun.sleep(1500)
  const before = processorTime(csp.serverPid()).csp
  const asked: { readonly search: Promise<number>; readonly live: Promise<number> }[] = []
  for (let turn = 0; turn < seconds * 2; turn++) {
    asked.push({ search: stranger(csp.url, `/v1/search?q=stranger${turn}`), live: stranger(csp.url, '/health/live') })
    await Bun.sleep(500)
  }
  const share = (processorTime(csp.serverPid()).csp - before) / (seconds * 10)
  const searches = await Promise.all(asked.map(({ search }) => search))
  const lives = await Promise.all(asked.map(({ live }) => live))
  isOver = true
  console.log(`| ${files} | ${kind} | ${share.toFixed(0)} % | ${told(searches)} | ${told(lives)} |`)
  await Promise.race([Promise.all(callers), Bun.sleep(6000)])
  await csp.stop()
}

/** How long it took, in ms; `Infinity` where it was not served within 15 s. */
async function stranger(url: string, path: string): Promise<number> {
  const startedAt = performance.now()
  const init = { keepalive: false, headers: { 'user-agent': 'stranger' }, signal: AbortSignal.timeout(15_000) }
  const status = await fetch(`${url}${path}`, init).then(
    (reply) => reply.status,
    () => 0,
  )
  return status === 200 ? performance.now() - startedAt : Number.POSITIVE_INFINITY
}

function told(times: readonly number[]): string {
  const served = times.filter(Number.isFinite)
  return `${served.length} of ${times.length} | ${served.length > 0 ? Math.round(Math.max(...served)) : '–'}`
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(200)
}
