import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claudeEnvironment, realClaude } from './real-claude.ts'

/** A csp in a process of its own, with a scratch home, on a stand-in for the Messages API. */
export interface CspProcess {
  readonly url: string
  /** Its home and its folder for temporary files. */
  readonly home: string
  /** Of the launcher. */
  readonly pid: number
  /** From the start of the process to its first answer, in ms. */
  readonly listeningAfterMs: number
  /** Resident memory of csp itself, without launcher and CLI, in MB. Linux only; else `NaN`. */
  memoryMb(): number
  stop(): Promise<void>
}

export interface CspProcessOptions {
  /** Where its CLI finds the Messages API. */
  readonly standInUrl: string
  readonly flags?: readonly string[] | undefined
  /** Added to a scrubbed environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** Starts csp from this checkout, as `npm start` does: node first, which starts Bun. */
export async function startCsp({ standInUrl, flags = [], environment = {} }: CspProcessOptions): Promise<CspProcess> {
  const home = mkdtempSync(join(tmpdir(), 'csp-process-'))
  const port = freePort()
  const launcher = join(import.meta.dir, '../../bin/csp.mjs')
  const startedAt = performance.now()
  const child = Bun.spawn(['node', launcher, 'serve', '--port', String(port), '--log-level', 'silent', ...flags], {
    env: { ...claudeEnvironment(standInUrl, home), CSP_CLAUDE_BIN: realClaude, TMPDIR: home, ...environment },
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await untilListening(url)
  return {
    url,
    home,
    pid: child.pid,
    listeningAfterMs: performance.now() - startedAt,
    memoryMb: () => residentMb(child.pid),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function untilListening(url: string): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    try {
      await (await fetch(`${url}/v1/models`)).text()
      return
    } catch {
      await Bun.sleep(2)
    }
  }
  throw new Error('csp did not start to listen.')
}

function freePort(): number {
  const probe = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = probe
  void probe.stop(true)
  return port ?? 0
}

/** Of the Bun that the launcher started. */
function residentMb(launcherPid: number): number {
  try {
    const pid = readFileSync(`/proc/${launcherPid}/task/${launcherPid}/children`, 'utf8').trim().split(' ')[0]
    const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return match ? Number(match[1]) / 1024 : Number.NaN
  } catch {
    return Number.NaN
  }
}
