import { readFileSync } from 'node:fs'
import { startSandbox } from '../packages/sandbox/test/support/sandbox.ts'
import { startCsp } from '../tests/support/csp-process.ts'
import { descendantsOf } from '../tests/support/processes.ts'
import { realClaude } from '../tests/support/real-claude.ts'

// Memory of csp and everything below it, launcher and the real CLI's processes too: at the start, during ten written
// answers at once, of which the search and the writing take 2 s each, two minutes after them, and when the CLIs have
// ended. The proportional set size counts shared pages once. Linux only. Flags of csp may follow: `--concurrency 3`.

const idleSeconds = 150
const sandbox = startSandbox({ thinkMs: 2000 })
const csp = await startCsp({
  standInUrl: sandbox.url,
  flags: ['--cache-ttl', '0', '--idle-time', String(idleSeconds), ...process.argv.slice(2)],
  environment: { CSP_WARM_UP: 'on', CSP_CLAUDE_BIN: realClaude },
})
try {
  await Bun.sleep(30_000)
  report('at the start, its CLI warm', memory())
  let most = memory()
  const timer = setInterval(() => {
    const now = memory()
    if (now.total > most.total) most = now
  }, 250)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index)))
  clearInterval(timer)
  report(`ten written answers at once, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`, most)
  await Bun.sleep(120_000)
  report('two minutes after it', memory())
  await Bun.sleep((idleSeconds - 120 + 15) * 1000)
  report(`after ${idleSeconds} s without work (--idle-time)`, memory())
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

interface Memory {
  readonly total: number
  readonly processes: readonly string[]
}

function report(moment: string, { total, processes }: Memory): void {
  console.log(`${moment}: ${Math.round(total)} MiB in ${processes.length} processes: ${processes.join(', ')}`)
}

/** In MiB. */
function memory(): Memory {
  const pids = [csp.pid, ...descendantsOf(csp.pid).map(({ pid }) => pid)]
  const sizes = pids.flatMap((pid) => {
    const mib = pssOf(pid) / 1024
    return mib > 0 ? [{ name: nameOf(pid), mib }] : []
  })
  return {
    total: sizes.reduce((sum, { mib }) => sum + mib, 0),
    processes: sizes.map(({ name, mib }) => `${name} ${Math.round(mib)}`),
  }
}

function pssOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function nameOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (command.includes('mcp\0serve')) return 'search server'
    if (command.includes('stream-json')) return command.includes('--tools=WebSearch') ? 'searcher' : 'writer'
    return pid === csp.pid ? 'launcher' : pid === csp.serverPid() ? 'csp' : 'watchdog'
  } catch {
    return 'ended'
  }
}
