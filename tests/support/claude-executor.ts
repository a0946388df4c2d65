import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox, SandboxOptions } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../src/domain/answer.ts'
import type { Answer } from '../../src/domain/search.ts'
import { composed } from '../../src/executor/answer/composed.ts'
import { type ClaudeExecutor, type ClaudeOptions, claude } from '../../src/executor/backends/claude/claude.ts'
import { type Fields, requestFor } from './fake-executor.ts'
import { standInClaude } from './quick-claude.ts'
import { claudeEnvironment, scratchHome } from './real-claude.ts'

export interface ClaudeFixture extends AsyncDisposable {
  /** Its answers are put together as csp does it. */
  readonly executor: ClaudeExecutor
  /** By itself: it lists, writes, and makes the answers that take an agent. */
  readonly engine: ClaudeExecutor
  readonly sandbox: Sandbox
  /** HOME of the CLI. */
  readonly home: string
  /** Where the CLI runs. Empty at first. */
  readonly workingDirectory: string
  /** Searches to the end. */
  search(query: string, rest?: Fields, signal?: AbortSignal): Promise<Answer>
}

export interface ClaudeFixtureOptions extends Partial<Omit<ClaudeOptions, 'workingDirectory'>> {
  /** Of a sandbox that is the fixture's own. */
  readonly sandbox?: SandboxOptions | undefined
  /** A sandbox that is shared, and outlives the fixture. */
  readonly on?: RunningSandbox | undefined
  /** Called with HOME before the CLI is started. */
  readonly prepare?: ((home: string) => void) | undefined
  /** Added to the environment that the CLI's is chosen from. */
  readonly variables?: Readonly<Record<string, string>> | undefined
}

/** The real executor on a sandbox, with the stand-in for the CLI unless `findBinary` says otherwise. Nothing is started before the first search. */
export async function startClaude({
  sandbox,
  on,
  prepare,
  variables,
  ...rest
}: ClaudeFixtureOptions = {}): Promise<ClaudeFixture> {
  const running = on ?? startSandbox(sandbox)
  const home = await scratchHome()
  const workingDirectory = join(home.path, 'work')
  mkdirSync(workingDirectory)
  prepare?.(home.path)
  const engine = claude({
    findBinary: standInClaude,
    environment: { ...claudeEnvironment(running.url, home.path), ...variables },
    workingDirectory,
    model: 'sonnet',
    excerpts: 'lines',
    // A worker that is replaced costs half a second of a core.
    maxSessionSearches: 1000,
    sessionContext: 'clear',
    auth: 'subscription',
    version: '0',
    ...rest,
  })
  const { search, supports } = composed(engine, { writers: [engine] })
  const executor: ClaudeExecutor = { ...engine, search, ...(supports && { supports }) }
  return {
    executor,
    engine,
    sandbox: running.sandbox,
    home: home.path,
    workingDirectory,
    search: (query, request, signal = new AbortController().signal) =>
      collect(executor.search(requestFor(query, request), { signal })),
    async [Symbol.asyncDispose]() {
      await executor.close()
      if (!on) await running.stop()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** A request for each strategy through the executor. */
export const strategies = {
  results: { want: 'results' },
  fast: { want: 'answer', effort: 'fast' },
  standard: { want: 'answer', effort: 'standard' },
  deep: { want: 'answer', effort: 'deep' },
  'follow-up': { want: 'answer', history: [{ role: 'user', text: 'What are seals?' }] },
  text: { want: 'text' },
} as const satisfies Readonly<Record<string, Fields>>

export type StrategyName = keyof typeof strategies

export const strategyNames = [
  'results',
  'fast',
  'standard',
  'deep',
  'follow-up',
  'text',
] as const satisfies readonly StrategyName[]
