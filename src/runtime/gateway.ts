import { autoShaped } from '@csp/gateway/auto'
import { withBodyFields } from '@csp/gateway/body-fields'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { recogniseProvider } from '@csp/gateway/chat-completions/provider'
import { createGateway, type Gateway, type GatewayUpstream } from '@csp/gateway/gateway'
import { KeyRing, keyedNative, keyedUpstream } from '@csp/gateway/layers/keys'
import { createUpstreamStack, type ShapedUpstream } from '@csp/gateway/layers/stack'
import { type NativeUpstream, nativeUpstream } from '@csp/gateway/native/native'
import { responsesUpstream, type TranslatedOptions } from '@csp/gateway/responses/responses'
import { type CapabilityStore, LearnedCapabilities } from '@csp/gateway/translation/capabilities'
import type { Upstream } from '@csp/gateway/upstream'
import { type Eyes, withVision } from '@csp/gateway/vision'
import { maxTimerMs } from '@csp/lib/abort'
import type { Fetch } from '@csp/lib/http-client'
import { isLoopback, plainUrl } from '@csp/lib/url'
import type { MessagesRequest } from '@csp/messages-api/request'
import { withoutVolatileText } from '@csp/messages-api/volatile'
import type { Config } from './config/settings.ts'
import { UsageError } from './config/usage-error.ts'
import { secretHeaders, type UpstreamPlan, upstreamPlans } from './upstream-plans.ts'

export interface GatewayParts {
  /** Stores which parameters each model refuses. */
  readonly store?: CapabilityStore | undefined
  /** True if requests cannot wait for one another, as on a Worker. */
  readonly isEdge?: boolean | undefined
  /** Called when the breaker of an upstream opens or closes. */
  readonly log?: ((message: string) => void) | undefined
  /** Wraps each call of an upstream. */
  readonly aroundFetch?: ((fetchWith: Fetch) => Fetch) | undefined
  /** The address of the sandbox, which is started by the first request that goes there. */
  readonly sandbox?: (() => Promise<string>) | undefined
}

/** The gateway over the upstreams that are configured; `undefined` if there are none. Asks nothing yet. */
export function createConfiguredGateway(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  { store, log, isEdge = false, aroundFetch = (send) => send, sandbox }: GatewayParts = {},
): Gateway | undefined {
  const configured = sandbox ? [sandboxPlan] : upstreamPlans(config, environment)
  const plans = configured.map((plan) => (isEdge ? { ...plan, concurrency: Number.POSITIVE_INFINITY } : plan))
  if (plans.length === 0) return undefined
  const capabilities = new LearnedCapabilities({ store })
  const send = sandbox ? fetchFrom(sandbox) : patientFetch
  const shared = { capabilities, fetchFor: (plan: UpstreamPlan) => aroundFetch(fetchWithHeaders(send, plan)) }
  const created = plans.map((plan) => createUpstream(plan, shared, log))
  // The one that sees has no other behind it: one that refuses images would ask itself.
  const eyesOf = (vision: string): Eyes => {
    const index = plans.findIndex(({ name }) => vision.startsWith(`${name}/`))
    const [plan, to] = [plans[index], created[index]]
    if (!plan || !to) throw new UsageError(`There is no upstream for ${vision}.`)
    const model = vision.slice(plan.name.length + 1)
    return { upstream: to.upstream, model, isBlind: () => refusesAnywhere(capabilities, plan.url, model) }
  }
  const upstreams = created.map((upstream, index): GatewayUpstream => {
    const { vision, url = '' } = plans[index] ?? {}
    if (vision === undefined) return upstream
    const refusesImages = (model: string) => refusesAnywhere(capabilities, url, model)
    return { ...upstream, ...withVision(upstream, { eyes: () => eyesOf(vision), refusesImages }) }
  })
  const servesClaude = sandbox !== undefined || config.gateway.some(({ url }) => url === undefined)
  return createGateway({ upstreams, servesClaude, timeoutMs })
}

/** One server may have several APIs. */
async function refusesAnywhere(capabilities: LearnedCapabilities, url: string, model: string): Promise<boolean> {
  const places = ['', '/responses', '/messages'].map((path) => plainUrl(url) + path)
  const refused = await Promise.all(places.map((place) => capabilities.refusedBy(place, model).catch(() => undefined)))
  return refused.some((features) => features?.includes('images'))
}

/** For one request, with its searches and tries. A turn of an agent ends well before. */
const timeoutMs = 3_600_000
/** A local model may read a long prompt for minutes before its first word. */
const usualIdleSeconds = 600

/** A timer of more milliseconds would be over at once. */
function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, maxTimerMs)
}

/** The parts that all upstreams share. */
interface Shared {
  readonly capabilities: LearnedCapabilities
  readonly fetchFor: (plan: UpstreamPlan) => Fetch
}

/** Without patterns: Claude's own names stay with the CLI on the sandbox. */
const sandboxPlan: UpstreamPlan = {
  name: 'sandbox',
  url: 'http://sandbox.localhost',
  shape: 'native',
  patterns: [],
  provider: {},
}

function fetchFrom(sandbox: () => Promise<string>): Fetch {
  return async (url, init) => patientFetch(url.replace(sandboxPlan.url, await sandbox()), init)
}

function createUpstream(plan: UpstreamPlan, shared: Shared, log: GatewayParts['log']): GatewayUpstream {
  const { name, url, patterns, concurrency = isLocal(url) ? localConcurrency : undefined } = plan
  const isAnthropic = /(?:^|\.)anthropic\.com$/.test(new URL(url).hostname)
  return {
    name,
    isAnthropic,
    patterns,
    ...createUpstreamStack(shapeUpstream(plan, isAnthropic, shared, log), { concurrency, log }),
  }
}

/** A model of this machine gains nothing from more: the replies would share one processor. */
const localConcurrency = 4

function isLocal(url: string): boolean {
  return isLoopback(new URL(url).hostname)
}

function shapeUpstream(
  plan: UpstreamPlan,
  isAnthropic: boolean,
  shared: Shared,
  log: GatewayParts['log'],
): ShapedUpstream {
  const { name, url: baseUrl, key: only, keys = [only], shape, provider, body, idleSeconds = usualIdleSeconds } = plan
  const idleMs = timerMs(idleSeconds)
  const place = { name, baseUrl, fetch: shared.fetchFor(plan), secrets: secretHeaders(plan) }
  const own = { ...place, capabilities: shared.capabilities, silenceMs: idleMs, body }
  const prepare = (request: MessagesRequest) => withBodyFields(withoutVolatileText(request), body)
  const nativeOwn = { ...place, capabilities: shared.capabilities, prepare, headMs: idleMs, idleMs }
  // Each key has a client of its own: nothing of one account is sent to another.
  const ring = keys.length > 1 ? new KeyRing({ keys: keys.flatMap((key) => key ?? []), log }) : undefined
  const all = <Kind>(create: (key: string | undefined) => Kind) => keys.map(create)
  const native = (): NativeUpstream => {
    const [first, ...others] = all((key) => nativeUpstream({ ...nativeOwn, key }))
    if (!first) throw new Error(`The upstream ${name} has no client.`)
    return ring ? keyedNative(ring, [first, ...others]) : first
  }
  const translated = (create: (options: TranslatedOptions) => Upstream): Upstream => {
    const [first, ...others] = all((key) => create({ ...own, key }))
    if (!first) throw new Error(`The upstream ${name} has no client.`)
    return ring ? keyedUpstream(ring, [first, ...others]) : first
  }
  const chat = () => translated((options) => chatUpstream({ ...options, ...provider }))
  const shaped = (): ShapedUpstream => {
    switch (isAnthropic ? 'native' : shape) {
      case 'native': {
        const upstream = native()
        return { upstream, native: async () => upstream }
      }
      case 'compatible':
        return translatedOnly(chat())
      case 'responses':
        return translatedOnly(translated(responsesUpstream))
      case 'auto':
        // OpenAI's own models think better there: their thoughts come back to them between the calls of tools.
        return recogniseProvider(baseUrl) === 'openai'
          ? translatedOnly(translated(responsesUpstream))
          : autoShaped(native(), chat())
    }
  }
  return { ...shaped(), ...(ring && { restingKeys: () => ring.resting }) }
}

function translatedOnly(upstream: Upstream): ShapedUpstream {
  return { upstream, native: async () => undefined }
}

/** Bun ends a call after five minutes of silence, in which a local model may read a long prompt. Upstreams have own limits. */
const patientFetch = (url: string, init: RequestInit): Promise<Response> => fetch(url, { ...init, timeout: false })

/** The headers of the configuration, after csp's own. A trace does not see them: they may open something. */
function fetchWithHeaders(send: Fetch, { headers }: UpstreamPlan): Fetch {
  if (!headers) return send
  return (url, init) => {
    const all = new Headers(init.headers)
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) all.delete(name)
      else all.set(name, value)
    }
    return send(url, { ...init, headers: all })
  }
}
