import { readFileSync } from 'node:fs'
import { startCsp } from '../tests/support/csp-process.ts'
import { descendantsOf } from '../tests/support/processes.ts'
import { startSandbox } from '../tests/support/sandbox.ts'

// Memory of csp and everything below it, launcher and CLIs too: at the start, during ten written answers at once, two
// minutes after them, and when the CLIs have ended. The proportional set size counts shared pages once. Linux only.

const idleSeconds = 150
const sandbox = startSandbox({ thinkMs: 1500 })
const csp = await startCsp({
  standInUrl: sandbox.url,
  flags: ['--cache-ttl', '0', '--idle-time', String(idleSeconds)],
  environment: { CSP_WARM_UP: 'on' },
})
try {
  await Bun.sleep(15_000)
  report('at the start, its CLI warm')
  let [most, processes] = [0, 0]
  const timer = setInterval(() => {
    const { mib, count } = memory()
    if (mib > most) [most, processes] = [mib, count]
  }, 250)
  await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index)))
  clearInterval(timer)
  console.log(`in a burst of ten written answers: ${most} MiB in ${processes} processes`)
  await Bun.sleep(120_000)
  report('two minutes after it')
  await Bun.sleep((idleSeconds - 120 + 15) * 1000)
  report(`after ${idleSeconds} s without work (--idle-time)`)
} finally {
  await csp.stop()
  await sandbox.stop()
}

async function ask(number: number): Promise<void> {
  const body = JSON.stringify({ model: 'sonar-pro', messages: [{ role: 'user', content: `memory ${number}` }] })
  const reply = await fetch(`${csp.url}/chat/completions`, { method: 'POST', body })
  await reply.arrayBuffer()
  if (!reply.ok) throw new Error(`An answer failed with ${reply.status}.`)
}

function report(moment: string): void {
  const { mib, count } = memory()
  console.log(`${moment}: ${mib} MiB in ${count} processes`)
}

function memory() {
  const pids = [csp.pid, ...descendantsOf(csp.pid).map(({ pid }) => pid)]
  const sizes = pids.map(pssOf).filter((kib) => kib > 0)
  return { mib: Math.round(sizes.reduce((sum, kib) => sum + kib, 0) / 1024), count: sizes.length }
}

function pssOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
