import type { OfferedModel } from '../../domain/claude-models.ts'
import type { Receipts } from '../../domain/receipt.ts'
import type { SearchRequest } from '../../domain/search.ts'
import { type ClaudeExecutor, type ClaudeOptions, claude } from '../../executor/backends/claude/claude.ts'
import { memoryBackend } from '../../executor/backends/memory/memory.ts'
import type { Executor } from '../../executor/executor.ts'
import { oldAnswerSeconds } from '../../executor/layers/cache/answer-cache.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import type { RememberingOptions } from '../../executor/layers/page-memory/remembering.ts'
import { PlanGuard } from '../../executor/layers/plan/plan-guard.ts'
import { Breaker } from '../../executor/layers/resilience/breaker.ts'
import type { QueueLimits } from '../../executor/layers/resilience/queue-limits.ts'
import { type BackendStackOptions, createBackendStack, createStack } from '../../executor/layers/stack.ts'
import type { PageReader } from '../../page-reader/page-reader.ts'
import { researched } from '../../research/researched.ts'
import { files } from '../../storage/files.ts'
import { openStore, type Store } from '../../storage/store.ts'
import { createBackends } from '../backends.ts'
import type { LoadedConfig } from '../config/config.ts'
import { type Config, excerptSource } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import type { Environment } from '../shell/shell.ts'
import { version } from '../version.ts'
import { claudeBinary } from './claude-cli.ts'
import { listPlaces, queuePlaces } from './places.ts'

/** The folders that an executor works with. */
export interface Directories {
  /** Empty: what the CLI takes for its project. */
  readonly work: string
  readonly cache: string
}

/** What an executor works with besides its backends. */
export interface ExecutorParts {
  readonly budget: Meter
  /** Where written answers leave their receipts, if they do. */
  readonly receipts: Receipts
  /** What csp has seen. Absent if nothing is kept. */
  readonly memory?: RememberingOptions | undefined
  /** Reads what its searches find; absent if no page may be read. */
  readonly pages?: PageReader | undefined
  /** The part of the plan that a caller leaves, 0 to 1, where its key says so. */
  readonly reserveOf?: ((caller: string) => number | undefined) | undefined
}

export interface CreatedExecutor {
  readonly executor: Executor
  /** Where its answers are kept. It outlives the executor; its creator closes it. */
  readonly store: Store
  /** Starts what a first search would have to wait for. Never throws. */
  warm(): Promise<void>
  /** The models that the CLI offers, once it is warm. */
  offered(): readonly OfferedModel[]
  /** Has the next search use a new login of the CLI. */
  renewLogin(): void
}

/** The backends, each behind what keeps it in working order; before them what they share. */
export function createExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
  directories: Directories,
  { budget, receipts, memory, pages, reserveOf }: ExecutorParts,
  log: Log,
): CreatedExecutor {
  const options = { hasBreakers: true, reserveOf }
  const { backends, writers, ...claudeParts } = createBackendStacks(config, environment, directories.work, log, options)
  const store = openStore(files({ directory: directories.cache }))
  const executor = createStack(backends, {
    instructions: config.instructionsText,
    defaultLanguage: config.defaultLanguage,
    cache: {
      storage: store,
      ttlSeconds: config.cacheTtl,
      oldSeconds: oldAnswerSeconds,
      scope: config.cacheScope,
      prompts: config.ownPrompts,
    },
    research: researched,
    excerpts: pages && { reader: pages, source: excerptSource(config) },
    memory: memory && { ...memory, backend: memoryBackend(memory) },
    evidence:
      config.evidence === 'off'
        ? undefined
        : {
            mode: config.evidence,
            receipts: config.receipts === 'on' ? receipts : undefined,
            timeoutMs: config.timeout * 1000,
          },
    paging: { ttlSeconds: config.cacheTtl, scope: config.cacheScope },
    meter: budget,
    writers,
  })
  return { executor, store, ...claudeParts }
}

/**
 * The same for a scenario of the sandbox: without a cache, and without circuit breakers, so that each request meets the
 * scenario.
 */
export function createScenarioExecutor(
  config: LoadedConfig['config'],
  environment: Environment,
  work: string,
  budget: Meter,
  log: Log,
): Executor {
  const { backends, writers } = createBackendStacks(config, environment, work, log, { hasBreakers: false })
  const { instructionsText: instructions, defaultLanguage } = config
  return createStack(backends, {
    instructions,
    defaultLanguage,
    research: researched,
    paging: { ttlSeconds: 0 },
    meter: budget,
    writers,
  })
}

interface BackendStacks extends Pick<CreatedExecutor, 'warm' | 'offered' | 'renewLogin'> {
  readonly backends: readonly Executor[]
  readonly writers: readonly Executor[]
}

/** Each backend behind its layers. */
function createBackendStacks(
  config: LoadedConfig['config'],
  environment: Environment,
  work: string,
  log: Log,
  { hasBreakers, reserveOf }: Pick<ExecutorParts, 'reserveOf'> & { readonly hasBreakers: boolean },
): BackendStacks {
  let engine: ClaudeExecutor | undefined
  const debug = (message: string) => log('debug', message)
  const modelsOf = (request: SearchRequest) => engine?.modelsOf(request) ?? ['']
  const breaker = hasBreakers ? new Breaker({ name: 'claude', modelsOf, ordinary, log: debug }) : undefined
  const plan = hasBreakers && config.auth === 'subscription' ? createPlanGuard() : undefined
  function createPlanGuard(): PlanGuard {
    const reserve = config.planReserve / 100
    const ask = async (signal: AbortSignal) => engine?.planUsage(signal)
    return new PlanGuard({ reserve, reserveOf, planOnly: config.planOnly === 'on', modelsOf, ask, log })
  }
  const createClaude = () => {
    engine = claude({ ...claudeOptions(config, environment, work, log), onRateLimit: (limit) => plan?.note(limit) })
    return engine
  }
  const isLight = (request: SearchRequest) => engine?.isLight(request) ?? false
  const sandboxUrl = config.sandbox ? environment['ANTHROPIC_BASE_URL'] : undefined
  const backends = createBackends(config, { createClaude, sandboxUrl, prompts: config.ownPrompts })
  const stacks = backends.map((backend) =>
    createBackendStack(backend, backendLayers(backend.name, config, { breaker, plan, isLight, log: debug })),
  )
  const warm = async () => {
    await engine?.warm()
    await plan?.refresh()
  }
  const renewLogin = () => {
    breaker?.forgive()
    engine?.renewLogin()
    plan?.renew()
  }
  const writers = stacks.filter(({ name }) => name === 'claude')
  return { backends: stacks, writers, warm, offered: () => engine?.offered() ?? [], renewLogin }
}

function claudeOptions(
  config: LoadedConfig['config'],
  environment: Environment,
  workingDirectory: string,
  log: Log,
): ClaudeOptions {
  const { model, searchModel, maxSessionSearches, sessionContext, auth, idleTime } = config
  const findBinary = () => claudeBinary(config, environment)
  // Timers end at 24 days.
  const idleMs = idleTime > 0 && idleTime < 2_000_000 ? idleTime * 1000 : Number.POSITIVE_INFINITY
  const excerpts = config.excerpts === 'none' ? ('none' as const) : ('lines' as const)
  const settings = { model, searchModel, excerpts, maxSessionSearches, sessionContext, auth, idleMs }
  return {
    ...settings,
    startsAhead: config.warmUp === 'on',
    findBinary,
    namedBinary: config.claudeBin,
    prompts: config.ownPrompts,
    environment,
    workingDirectory,
    version,
    log,
  }
}

/** What the layers before Claude are made with. */
interface ClaudeLayers {
  /** Absent: no backend has one. */
  readonly breaker: Breaker | undefined
  readonly plan: PlanGuard | undefined
  readonly isLight: (request: SearchRequest) => boolean
  readonly log: (message: string) => void
}

/** So many seconds' searches may start at once after a pause: an agent sends several, and then reads. */
const burstSeconds = 5

/** How fast searches start, as the setting has it: `2`, or `2/1` for no more than one at once. */
export function searchPace(rate: Config['rate']): Pick<QueueLimits, 'startsPerSecond' | 'burst'> {
  const [startsPerSecond = 0, burst = startsPerSecond * burstSeconds] = String(rate).split('/').map(Number)
  return { startsPerSecond, burst }
}

/** How often a backend is asked, and how often again. */
function backendLayers(
  name: string,
  config: Config,
  { breaker: claudeBreaker, plan, isLight, log }: ClaudeLayers,
): BackendStackOptions {
  const { concurrency, rate } = config
  const capacity = queuePlaces
  const timeoutMs = config.timeout * 1000
  if (name === 'claude') {
    const lightLane = { concurrency: listPlaces, takes: isLight }
    const queue = { concurrency, capacity, ...searchPace(rate), lightLane }
    // A CLI that died has been replaced by then, and has tried twice itself; one more try is for an API that needs a second longer.
    return { breaker: claudeBreaker, queue, plan, timeoutMs, retries: 1 }
  }
  const limits = name === 'messages' ? { modelsOf: modelsOfMessages(config), ordinary } : {}
  const breaker = claudeBreaker && new Breaker({ name, ...limits, log })
  // The others keep their own pace, and a deadline of their own for each request.
  return { breaker, queue: { concurrency: 5, capacity, startsPerSecond: 0 }, timeoutMs, retries: 2 }
}

/** What a backend must be able to serve to be in working order: lists, and answers by the configured model. */
const ordinary: readonly SearchRequest[] = (['results', 'answer', 'text'] as const).map((want) => ({
  want,
  query: '',
  history: [],
  effort: 'standard',
  filters: {},
}))

function modelsOfMessages({ model: main, searchModel }: Config) {
  return ({ want, model = main }: SearchRequest) => [want === 'results' ? searchModel : model]
}
