import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { standInClaude } from './quick-claude.ts'
import { claudeEnvironment } from './real-claude.ts'
import { command } from './tested-program.ts'

/** A csp in a process of its own, with a scratch home, on a stand-in for the Messages API. */
export interface CspProcess {
  readonly url: string
  /** Its home and its folder for temporary files. */
  readonly home: string
  /** Of the launcher, or of csp itself. */
  readonly pid: number
  /** Of csp itself: of what the launcher has started, where there is one. Linux only; else `NaN`. */
  serverPid(): number
  /** From the start of the process to its first answer, in ms. */
  readonly listeningAfterMs: number
  /** The end of its log, some 10,000 characters. */
  log(): string
  /** Resident memory of csp itself, without launcher and CLI, in MB. Linux only; else `NaN`. */
  memoryMb(): number
  stop(): Promise<void>
  /** Sends csp and its launcher a signal, and settles when both are gone. Its home stays. */
  kill(signal: NodeJS.Signals): Promise<void>
}

export interface CspProcessOptions {
  /** Where its CLI finds the Messages API. */
  readonly standInUrl: string
  readonly flags?: readonly string[] | undefined
  /** Added to a scrubbed environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** Of a csp that ran before. */
  readonly home?: string | undefined
  /** Of a csp that ran before; any free port otherwise. */
  readonly port?: number | undefined
  /** The launcher to start it with, as a user does. */
  readonly program?: string | undefined
  /** How many files it may have open, of a system that knows such a limit. */
  readonly openFiles?: number | undefined
}

/** Flags of a csp whose lists take the model of its answers, so that one search server, half a second of a core, serves all. */
export const oneSearchServer: readonly string[] = ['--search-model', 'sonnet']

/** Starts csp, and waits until it answers. */
export async function startCsp({
  standInUrl,
  flags = [],
  environment = {},
  home = mkdtempSync(join(tmpdir(), 'csp-process-')),
  port = 0,
  program,
  openFiles,
}: CspProcessOptions): Promise<CspProcess> {
  const startedAt = performance.now()
  const limit = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh']
  const served = [
    ...(program ? ['node', program] : command),
    'serve',
    '--port',
    String(port),
    '--log-level',
    'info',
    ...flags,
  ]
  const child = Bun.spawn([...limit, ...served], {
    env: {
      ...claudeEnvironment(standInUrl, home),
      CSP_CLAUDE_BIN: standInClaude(),
      TMPDIR: home,
      CSP_DAILY_SEARCHES: '0',
      // A failure is to be seen as such, not as an answer from memory.
      CSP_MEMORY: 'off',
      // It ends with the tests, however they end: with `-t`, no hook of a file runs in which nothing matches.
      CSP_RUNNER: String(process.pid),
      ...environment,
    },
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const log = { text: '' }
  const url = await addressIn(child.stderr, log)
  await (await fetch(`${url}/v1/models`)).text()
  return {
    url,
    home,
    pid: child.pid,
    listeningAfterMs: performance.now() - startedAt,
    serverPid: () => serverPidOf(child.pid),
    log: () => log.text,
    memoryMb: () => residentMb(child.pid),
    async kill(signal) {
      const server = serverPidOf(child.pid)
      for (const pid of new Set([server, child.pid])) if (Number.isInteger(pid)) process.kill(pid, signal)
      await child.exited
      await untilReaped(server)
    },
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The address that csp logs once it listens. Reads on to the end, so that csp never waits for its reader. */
async function addressIn(stream: ReadableStream<Uint8Array>, log: { text: string }): Promise<string> {
  const address = Promise.withResolvers<string>()
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      log.text = (log.text + decoder.decode(bytes, { stream: true })).slice(-10_000)
      const [, url] = /listening on (http:\/\/[\d.:]+)[^\d.:]/.exec(log.text) ?? []
      if (url) address.resolve(url)
    }
  }
  const fail = () => address.reject(new Error(`csp ended before it listened:\n${log.text}`))
  void read().then(fail, fail)
  return address.promise
}

/** Waits until a process is reaped: a zombie still has its id, and seems to be alive. */
function untilReaped(pid: number): Promise<void> {
  return eventually(() => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
}

/** The Bun that the launcher started. */
function serverPidOf(launcherPid: number): number {
  try {
    if (basename(readlinkSync(`/proc/${launcherPid}/exe`)).startsWith('bun')) return launcherPid
    const children = readFileSync(`/proc/${launcherPid}/task/${launcherPid}/children`, 'utf8')
    return Number.parseInt(children, 10)
  } catch {
    return Number.NaN
  }
}

function residentMb(launcherPid: number): number {
  try {
    const status = readFileSync(`/proc/${serverPidOf(launcherPid)}/status`, 'utf8')
    const match = /^VmRSS:\s+(\d+) kB/m.exec(status)
    return match ? Number(match[1]) / 1024 : Number.NaN
  } catch {
    return Number.NaN
  }
}
