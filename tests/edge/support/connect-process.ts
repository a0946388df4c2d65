import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { standInClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment } from '../../support/real-claude.ts'
import { launcher } from '../../support/tested-program.ts'
import { connectSecret, withKey } from './edge.ts'

/** A `csp connect` in a process of its own, on a stand-in for the Messages API. */
export interface ConnectProcess extends AsyncDisposable {
  /** Kills csp at once, with no chance to say good-bye. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts it as a user does; resolves when the edge has taken it in. */
export async function connectCsp(edge: string, standInUrl: string, name = 'process-home'): Promise<ConnectProcess> {
  const home = mkdtempSync(join(tmpdir(), 'csp-connect-'))
  // Where `csp setup edge` leaves it.
  const folder = join(home, '.config/csp/edge')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'connect-secret'), `${connectSecret}\n`, { mode: 0o600 })
  const own = ['--connect-name', name]
  const flags = [...own, '--rate', '0', '--log-level', 'error']
  const child = Bun.spawn(['node', launcher, 'connect', edge, ...flags], {
    env: { ...claudeEnvironment(standInUrl, home), CSP_CLAUDE_BIN: standInClaude(), TMPDIR: home },
    cwd: home,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const end = async (signal: NodeJS.Signals, pid = child.pid) => {
    if (child.exitCode === null) process.kill(pid, signal)
    await child.exited
    rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  }
  await untilTakenIn(edge, name, child)
  const stop = () => end('SIGTERM')
  return { kill: () => end('SIGKILL', bunOf(child.pid)), stop, [Symbol.asyncDispose]: stop }
}

async function untilTakenIn(edge: string, name: string, child: Bun.Subprocess): Promise<void> {
  while (child.exitCode === null) {
    const health = await fetch(`${edge}/health`, { headers: withKey })
    if ((await health.text()).includes(`"${name}":"ready`)) return
    await Bun.sleep(10)
  }
  throw new Error(`csp connect ended with ${child.exitCode}.`)
}

/** The launcher is node, and what it starts is csp. */
function bunOf(launcherPid: number): number {
  const children = readFileSync(`/proc/${launcherPid}/task/${launcherPid}/children`, 'utf8')
  return Number(children.trim().split(' ')[0])
}
