import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { type HoldableSandbox, startSandbox } from '../../../packages/sandbox/test/support/sandbox.ts'
import { standInClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment } from '../../support/real-claude.ts'
import { launcher } from '../../support/tested-program.ts'
import { type Edge, secret } from './edge.ts'

/** `csp connect` in a process of its own, on a sandbox of its own. */
export interface ConnectProcess extends AsyncDisposable {
  readonly name: string
  readonly standIn: HoldableSandbox
  /** Resolves once its log holds the text. */
  says(text: string): Promise<void>
  /** Sends a signal to csp itself. */
  send(signal: NodeJS.Signals): void
  /** How it ended. */
  readonly exited: Promise<number>
  readonly hasEnded: boolean
}

/** The homes of an edge. Each start costs a second of a core, so what one test leaves well serves the next. */
export class Homes implements AsyncDisposable {
  readonly #edge: Edge
  readonly #environment: Readonly<Record<string, string>>
  #running: ConnectProcess[] = []

  constructor(edge: Edge, environment: Readonly<Record<string, string>> = {}) {
    this.#edge = edge
    this.#environment = environment
  }

  /** Homes with these names, which connected in this order, and no others. Their sandboxes are as new. */
  async only<const Names extends readonly string[]>(
    ...names: Names
  ): Promise<{ [Index in keyof Names]: ConnectProcess }> {
    const isWanted = ({ name, hasEnded }: ConnectProcess) => names.includes(name) && !hasEnded
    const stopping = this.#running.filter((home) => !isWanted(home))
    const running = this.#running.filter(isWanted)
    const wrong = running.findIndex(({ name }, index) => name !== names[index])
    if (wrong >= 0) stopping.push(...running.splice(wrong))
    for (const home of stopping) await home[Symbol.asyncDispose]()
    this.#running = running
    await eventually(async () => {
      const { homes } = await this.#edge.status()
      // One that works on what its caller has left is asked after the others.
      return homes.length === running.length && homes.every((home) => home.running === 0)
    })
    for (const { standIn } of running) standIn.sandbox.reset()
    for (const name of names.slice(running.length))
      running.push(await startConnect(this.#edge.url, name, this.#environment))
    // As many as there are names.
    return [...running] as unknown as { [Index in keyof Names]: ConnectProcess }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const home of this.#running.splice(0)) await home[Symbol.asyncDispose]()
  }
}

/** Starts one, and waits until it is connected. */
async function startConnect(
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
        CSP_CLAUDE_BIN: standInClaude(),
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
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await child.exited
      await standIn.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
