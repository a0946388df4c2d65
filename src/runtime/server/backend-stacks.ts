import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import type { OfferedModel } from '../../domain/claude-models.ts'
import type { RateLimitHealth } from '../../domain/health.ts'
import type { SearchRequest } from '../../domain/search.ts'
import { type ClaudeExecutor, type ClaudeOptions, claude } from '../../executor/backends/claude/claude.ts'
import type { Executor } from '../../executor/executor.ts'
import { PlanGuard } from '../../executor/layers/plan/plan-guard.ts'
import { Breaker } from '../../executor/layers/resilience/breaker.ts'
import type { QueueLimits } from '../../executor/layers/resilience/queued.ts'
import { type BackendStackOptions, createBackendStack } from '../../executor/layers/stack.ts'
import { createBackends } from '../backends.ts'
import type { LoadedConfig } from '../config/config.ts'
import { type Config, usedBackends } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import type { Environment } from '../shell/shell.ts'
import { version } from '../version.ts'
import { modelWriter } from '../writers.ts'
import { claudeBinary } from './claude-cli.ts'
import { createCliMemory } from './cli-memory.ts'
import { listPlaces, queuePlaces } from './places.ts'

/** What searches and writes, and what is asked of Claude besides. */
export interface BackendStacks {
  readonly backends: readonly Executor[]
  readonly writers: readonly Executor[]
  /** Starts what a first search would have to wait for. Never throws. */
  warm(): Promise<void>
  /** The models that the CLI offers, once it is warm. */
  offered(): readonly OfferedModel[]
  /** Has the next search use a new login of the CLI. */
  renewLogin(): void
  /** What the plan has left, as the CLI asks for it now. Calls no model. `undefined` if it cannot be known. */
  planUsage(signal: AbortSignal): Promise<RateLimitHealth | undefined>
}

export interface BackendStackParts {
  /** The part of the plan that a caller leaves, 0 to 1, where its key says so. */
  readonly reserveOf?: ((caller: string) => number | undefined) | undefined
  /** Where a writer is a model of it. */
  readonly gateway?: Gateway | undefined
  /** Called for each reply of such a model. */
  readonly onCall: (call: UpstreamCall) => void
}

/** Each backend and each writer behind its layers. */
export function createBackendStacks(
  config: LoadedConfig['config'],
  environment: Environment,
  work: string,
  log: Log,
  { reserveOf, gateway, onCall }: BackendStackParts,
): BackendStacks {
  let engine: ClaudeExecutor | undefined
  const debug = (message: string) => log('debug', message)
  const modelsOf = (request: SearchRequest) => engine?.modelsOf(request) ?? ['']
  const breaker = new Breaker({ name: 'claude', modelsOf, ordinary, log: debug })
  const plan = config.auth === 'subscription' ? createPlanGuard() : undefined
  function createPlanGuard(): PlanGuard {
    const reserve = config.planReserve / 100
    const ask = async (signal: AbortSignal) => engine?.planUsage(signal)
    return new PlanGuard({ reserve, reserveOf, planOnly: config.planOnly === 'on', modelsOf, ask, log })
  }
  const createClaude = () => {
    engine = claude({ ...claudeOptions(config, environment, work, log), onRateLimit: (limit) => plan?.note(limit) })
    return engine
  }
  const takes = (request: SearchRequest) => engine?.isLight(request) ?? false
  const relieves = (request: SearchRequest) => engine?.reliefOf(request)
  const lightLane = { concurrency: listPlaces, takes, relieves }
  const sandboxUrl = config.sandbox ? environment['ANTHROPIC_BASE_URL'] : undefined
  const { backends: names, writers = ['claude'], ownPrompts: prompts } = config
  const inService = (backend: Executor) =>
    createBackendStack(backend, backendLayers(backend.name, config, { breaker, plan, lightLane, log: debug }))
  const used = usedBackends(config)
  const stacks = createBackends({ ...config, backends: [...used] }, { createClaude, sandboxUrl, prompts }).map(
    inService,
  )
  const writing = [...new Set(writers)].flatMap((name) => {
    if (!name.includes('/')) return stacks.filter((stack) => stack.name === name)
    return gateway ? inService(modelWriter(name, { gateway, prompts, onCall })) : []
  })
  const warm = async () => {
    await engine?.warm()
    await plan?.refresh()
  }
  const renewLogin = () => {
    breaker.forgive()
    engine?.renewLogin()
    plan?.renew()
  }
  return {
    backends: stacks.slice(0, names.length),
    writers: writing,
    warm,
    offered: () => engine?.offered() ?? [],
    renewLogin,
    planUsage: async (signal) => engine?.planUsage(signal),
  }
}

/** What Claude is made with. */
export function claudeOptions(
  config: LoadedConfig['config'],
  environment: Environment,
  workingDirectory: string,
  log: Log,
): ClaudeOptions {
  const { model, searchModel, answers, maxSessionSearches, sessionContext, auth, idleTime } = config
  const findBinary = () => claudeBinary(config, environment)
  // Timers end at 24 days.
  const idleMs = idleTime > 0 && idleTime < 2_000_000 ? idleTime * 1000 : Number.POSITIVE_INFINITY
  const excerpts = config.excerpts === 'none' ? ('none' as const) : ('lines' as const)
  const settings = { model, searchModel, answers, excerpts, maxSessionSearches, sessionContext, auth, idleMs }
  const memory = createCliMemory(config, environment)
  return {
    ...settings,
    startsAhead: config.warmUp === 'on',
    findBinary,
    namedBinary: config.claudeBin,
    memory,
    nativeMemory: memory.answers,
    prompts: config.ownPrompts,
    environment,
    workingDirectory,
    version,
    log,
  }
}

/** What the layers before Claude are made with. */
interface ClaudeLayers {
  readonly breaker: Breaker
  readonly plan: PlanGuard | undefined
  readonly lightLane: QueueLimits['lightLane']
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
  { breaker: claudeBreaker, plan, lightLane, log }: ClaudeLayers,
): BackendStackOptions {
  const { concurrency, rate } = config
  const capacity = queuePlaces
  const timeoutMs = config.timeout * 1000
  if (name === 'claude') {
    const queue = { concurrency, capacity, ...searchPace(rate), lightLane }
    // A CLI that died has been replaced by then, and has tried twice itself; one more try is for an API that needs a second longer.
    return { breaker: claudeBreaker, queue, plan, timeoutMs, retries: 1 }
  }
  const limits = name === 'messages' ? { modelsOf: modelsOfMessages(config), ordinary } : {}
  const breaker = new Breaker({ name, ...limits, log })
  // Its upstream has a queue, and tries again by itself.
  if (name.includes('/')) return { breaker, timeoutMs }
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
  return ({ want, claims, model = main }: SearchRequest) => [want === 'results' || claims ? searchModel : model]
}
