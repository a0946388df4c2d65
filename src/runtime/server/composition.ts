import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { once } from '@csp/lib/once'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { KeptMemory, SignIn } from '../../api/endpoints/own-parts.ts'
import type { OfferedModel } from '../../domain/claude-models.ts'
import { SearchError, toSearchError } from '../../domain/error.ts'
import type { ExecutorHealth, RateLimitHealth } from '../../domain/health.ts'
import type { Executor } from '../../executor/executor.ts'
import type { BackgroundJobs } from '../../jobs/background-jobs.ts'
import type { ReceiptFiles } from '../../storage/receipt-files.ts'
import type { LoadedConfig } from '../config/config.ts'
import { usedBackends } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import { logUpstreamCall } from '../log/request-log.ts'
import { csp } from '../shell/program.ts'
import type { Environment } from '../shell/shell.ts'
import { checkWriters, modelsThatWrite } from '../writers.ts'
import { type Accounts, createAccounts, openReceipts } from './accounts.ts'
import { claudeBinary } from './claude-cli.ts'
import type { CreatedExecutor } from './create-executor.ts'
import { isGatewayAlone } from './gateway-alone.ts'
import { openJobs } from './open-jobs.ts'
import { memoryBytes, memoryPath, openMemory, publicPages } from './open-memory.ts'
import { openPages } from './open-pages.ts'
import { openScratch, workFolder } from './scratch.ts'
import type { ServedSandbox } from './serve-sandbox.ts'

/** Everything that answers a search, connected. */
export interface Composition {
  readonly executor: Executor
  /** For callers; absent if no page may be read. */
  readonly pages: PageReader | undefined
  readonly accounts: Accounts
  readonly receipts: ReceiptFiles
  /** The pages that csp has seen; absent if none are kept. */
  readonly memory: KeptMemory | undefined
  /** Answers in the background; absent if none are wanted. */
  readonly jobs: BackgroundJobs | undefined
  /** The gateway over the configured upstreams, if there are any. Its code is loaded where it is asked for. */
  gateway(): Promise<Gateway | undefined>
  /** Has somebody hear of each reply of a model of the gateway that writes answers. */
  hearCalls(hear: (call: UpstreamCall) => void): void
  /** Another executor, whose results callers may read too. */
  remember(executor: Executor): Executor
  /**
   * For a long-running process: starts what a first search would wait for, continues with jobs, and sweeps the cache now
   * and every hour.
   */
  settle(): Promise<void>
  /** The models that the CLI offers, once it is warm. */
  offered(): readonly OfferedModel[]
  /** Whether there is anything to search with. */
  readonly searches: () => boolean
  /** What Claude's plan has left, as the CLI asks for it now. `undefined` if that cannot be known, or before a search. */
  planUsage(signal: AbortSignal): Promise<RateLimitHealth | undefined>
  /** The login of the CLI without a terminal; absent if csp uses no login of it. */
  readonly signIn?: SignIn | undefined
  /** Stops everything and removes temporary files. */
  close(): Promise<void>
}

/** Connects backends, cache and budget as configured. Costs nothing until the first use. */
export function openComposition(config: LoadedConfig['config'], environment: Environment, log: Log): Composition {
  checkWriters(config, environment)
  const scratch = openScratch()
  // Searches on the sandbox cost nothing, so the real ledger does not record them.
  const stateDir = config.sandbox ? scratch.folder('state') : config.stateDir
  const accounts = createAccounts(config, log, stateDir)
  const receipts = openReceipts(stateDir, config.sandbox)
  const closers: (() => Promise<void>)[] = []
  const hearers = [(call: UpstreamCall) => logUpstreamCall(log, call)]
  let built: CreatedExecutor | undefined
  let sweeping: Timer | undefined
  let closed = false

  const cacheFolder = () => (config.sandbox ? scratch.folder('cache') : config.cacheDir)
  const memory = memoryOf(config, stateDir)
  const pages = openPages(config, cacheFolder, accounts.budget.ledger, memory)

  const executor = loadedLater(config.backends.join(', '), async () => {
    const { createExecutor } = await import('./create-executor.ts')
    // The CLI of the sandbox has a home of its own.
    const work = config.sandbox ? scratch.folder('work') : workFolder(scratch)
    const cache = cacheFolder()
    const sandbox = config.sandbox ? await openSandbox() : undefined
    const { budget, reserveOf } = accounts
    const onCall = (call: UpstreamCall) => hearers.forEach((hear) => void hear(call))
    const read = { memory, pages: pages.forSearches }
    const parts = { budget, receipts, ...read, reserveOf, gateway: await writersGateway(), onCall }
    // It is the user's CLI all the same, which may lie in the user's home.
    const own = sandbox ? { ...config, claudeBin: claudeBinary(config, environment) } : config
    built = createExecutor(own, sandbox?.environment ?? environment, { work, cache }, parts, log)
    closers.push(built.store.close)
    return pages.remember(built.executor)
  })

  const jobs = openJobs(config, stateDir, executor, log)

  const openSandbox = once(async (): Promise<ServedSandbox> => {
    const { serveSandbox } = await import('./serve-sandbox.ts')
    const sandbox = serveSandbox(environment, scratch.folder('home'), config.sandboxPace)
    closers.push(() => sandbox.stop())
    return sandbox
  })

  const gateway = once(async () => {
    const { openGateway } = await import('./open-gateway.ts')
    return openGateway(config, environment, log, config.sandbox ? async () => (await openSandbox()).url : undefined)
  })

  /** Where a model of it writes. */
  async function writersGateway(): Promise<Gateway | undefined> {
    return modelsThatWrite(config).length > 0 ? gateway() : undefined
  }

  async function openSignIn(): Promise<SignIn> {
    const { claudeSignIn } = await import('./sign-in.ts')
    const findBinary = () => claudeBinary(config, environment)
    const onSignedIn = () => built?.renewLogin()
    return claudeSignIn({ findBinary, environment, directory: workFolder(scratch), onSignedIn })
  }

  const isAlone = () => isGatewayAlone(config, environment)

  function sweep(): void {
    void receipts.sweep()
    built?.store.sweep().catch((error) => log('warning', `The cache could not be swept: ${error}`))
  }

  return {
    executor: {
      ...executor,
      async *search(request, context) {
        if (isAlone()) throw new SearchError('unavailable', aloneText)
        yield* executor.search(request, context)
      },
      health: async () => (isAlone() ? nothingToSearchWith(accounts) : executor.health()),
      recalls: memory !== undefined,
      isSandbox: config.sandbox,
    },
    pages: pages.forCallers,
    accounts,
    receipts,
    memory,
    jobs,
    gateway,
    hearCalls: (hear) => void hearers.push(hear),
    remember: pages.remember,
    async settle() {
      const isNeeded = !isAlone()
      if (isNeeded) await executor.health()
      if (closed) return
      sweep()
      jobs?.resume()
      sweeping ??= setInterval(sweep, 3_600_000)
      if (isNeeded && config.warmUp === 'on') await Promise.all([built?.warm(), pages.warm()])
    },
    offered: () => built?.offered() ?? [],
    searches: () => !isAlone(),
    planUsage: async (signal) => built?.planUsage(signal),
    ...(hasLogin(config) && !isAlone() && { signIn: deferredSignIn(openSignIn) }),
    async close() {
      closed = true
      clearInterval(sweeping)
      // Before the executor, whose end would be their failure.
      await jobs?.close()
      await Promise.all([executor.close(), pages.close()])
      await (await gateway.made())?.close()
      await memory?.memory.close()
      for (const close of closers) await close()
      scratch.remove()
    },
  }
}

const aloneText = `This csp is a gateway alone, which has nothing to search with. \`${csp} config set backends parallel-free\` gives it searches without a key, \`${csp} login\` those of an account.`

/** The health of a gateway alone. Loads nothing that searches. */
async function nothingToSearchWith({ budget }: Accounts): Promise<ExecutorHealth> {
  const { limits, ...rest } = await budget.health()
  const ofTokens = { ...rest, limits: limits.filter(({ kind }) => kind !== 'searches') }
  return { ready: false, backends: [{ name: 'claude', ready: false, isMissing: true }], budget: ofTokens }
}

/** Whether Claude searches with a login that its CLI keeps. */
function hasLogin(config: LoadedConfig['config']): boolean {
  return !config.sandbox && config.auth === 'subscription' && usedBackends(config).includes('claude')
}

/** Loaded when somebody signs in. */
function deferredSignIn(open: () => Promise<SignIn>): SignIn {
  const opened = once(open)
  return {
    async *begin(signal) {
      yield* (await opened()).begin(signal)
    },
    enter: async (id, code) => (await opened()).enter(id, code),
  }
}

/** The memory of a state folder, and what may be kept there. Absent if it is off. */
function memoryOf(config: LoadedConfig['config'], stateDir: string) {
  if (config.memory === 'off') return undefined
  const mayKeep = publicPages(config.pagesAllow)
  const memory = openMemory({ path: memoryPath(stateDir), maxBytes: memoryBytes, mayKeep })
  return { memory, scope: config.cacheScope, mayKeep }
}

/** An executor that is loaded on first use, so that the server can listen before its modules are loaded. */
export function loadedLater(name: string, load: () => Promise<Executor>): Executor {
  const loading = once(load)
  let isClosed = false
  const loaded = async (): Promise<Executor> => {
    if (isClosed) throw new SearchError('unavailable', 'csp is stopping.')
    try {
      return await loading()
    } catch (error) {
      throw toSearchError(error)
    }
  }
  return {
    name,
    async *search(request, context) {
      const executor = await loaded()
      yield* executor.search(request, context)
    },
    async health() {
      try {
        return await (await loaded()).health()
      } catch (error) {
        return { ready: false, backends: [{ name, ready: false, problem: toSearchError(error).forOthers }] }
      }
    },
    async close() {
      isClosed = true
      const executor = await loading.made()
      await executor?.close()
    },
  }
}
