import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment } from '../../support/real-claude.ts'
import { type RunningSandbox, startSandbox } from '../../support/sandbox.ts'
import { launcher } from '../../support/tested-program.ts'
import { secret } from './edge.ts'

/** `csp connect` in a process of its own, with the real CLI on a sandbox of its own. */
export interface ConnectProcess extends AsyncDisposable {
  readonly name: string
  readonly standIn: RunningSandbox
  /** Resolves once its log holds the text. */
  says(text: string): Promise<void>
  /** Sends a signal to csp itself. */
  send(signal: NodeJS.Signals): void
  /** How it ended. */
  readonly exited: Promise<number>
}

/** Starts one, and waits until it is connected. */
export async function startConnect(
  edge: string,
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ConnectProcess> {
  const standIn = startSandbox()
  const home = mkdtempSync(join(tmpdir(), 'csp-connect-'))
  // Bun itself, so that a signal reaches csp and not its launcher.
  const child = Bun.spawn([process.execPath, launcher, 'connect', edge, '--connect-name', name, '--rate', '0'], {
    env: {
      ...claudeEnvironment(standIn.url, home),
      ...{
        CSP_CLAUDE_BIN: quickClaude(),
        TMPDIR: home,
        CSP_CONNECT_SECRET: secret,
        CSP_CACHE_TTL: '0',
        ...environment,
      },
    },
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  let news = Promise.withResolvers<void>()
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) {
      log += decoder.decode(chunk, { stream: true })
      news.resolve()
      news = Promise.withResolvers()
    }
  })()
  const says = async (text: string): Promise<void> => {
    while (!log.includes(text)) await news.promise
  }
  await Promise.race([
    says('connected to'),
    child.exited.then((code) => {
      throw new Error(`csp connect ended with ${code}: ${log}`)
    }),
  ])
  return {
    name,
    standIn,
    says,
    send: (signal) => child.kill(signal),
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await child.exited
      await standIn.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
