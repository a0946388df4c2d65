import { autoShaped } from '@csp/gateway/auto'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { recogniseProvider } from '@csp/gateway/chat-completions/provider'
import { createGateway, type Gateway, type GatewayUpstream } from '@csp/gateway/gateway'
import { createUpstreamStack, type ShapedUpstream } from '@csp/gateway/layers/stack'
import { nativeUpstream } from '@csp/gateway/native/native'
import { responsesUpstream } from '@csp/gateway/responses/responses'
import { type CapabilityStore, LearnedCapabilities } from '@csp/gateway/translation/capabilities'
import type { Upstream } from '@csp/gateway/upstream'
import { maxTimerMs } from '@csp/lib/abort'
import type { Fetch } from '@csp/lib/http-client'
import { isLoopback } from '@csp/lib/url'
import { withoutVolatileText } from '@csp/messages-api/volatile'
import type { Config } from './config/settings.ts'
import { type UpstreamPlan, upstreamPlans } from './upstream-plans.ts'

export interface GatewayParts {
  /** Where is kept what models refuse. */
  readonly store?: CapabilityStore | undefined
  /** Whether requests cannot wait for one another, as on a Worker. */
  readonly isEdge?: boolean | undefined
  /** Called when the breaker of an upstream opens or closes. */
  readonly log?: ((message: string) => void) | undefined
  /** Stands around each call of an upstream. */
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
  const send = aroundFetch(sandbox ? fetchFrom(sandbox) : patientFetch)
  const shared = { capabilities, fetch: send }
  const upstreams = plans.map((plan) => createUpstream(plan, shared, log))
  const servesClaude = sandbox !== undefined || config.gateway.some(({ url }) => url === undefined)
  return createGateway({ upstreams, servesClaude, timeoutMs })
}

/** For one request, with its searches and tries. A turn of an agent ends well before. */
const timeoutMs = 3_600_000
/** A local model may read a long prompt for minutes before its first word. */
const usualIdleSeconds = 600

/** A timer of more milliseconds would be over at once. */
function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, maxTimerMs)
}

/** What all upstreams have in common. */
interface Shared {
  readonly capabilities: LearnedCapabilities
  readonly fetch: Fetch
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
    ...createUpstreamStack(shapeUpstream(plan, isAnthropic, shared), { concurrency, log }),
  }
}

/** A model of this machine gains nothing from more: the replies would share one processor. */
const localConcurrency = 4

function isLocal(url: string): boolean {
  return isLoopback(new URL(url).hostname)
}

function shapeUpstream(plan: UpstreamPlan, isAnthropic: boolean, shared: Shared): ShapedUpstream {
  const { name, url: baseUrl, key, shape, provider, idleSeconds = usualIdleSeconds } = plan
  const { capabilities, fetch } = shared
  const idleMs = timerMs(idleSeconds)
  const place = { name, baseUrl, key, fetch }
  const native = () => nativeUpstream({ ...place, prepare: withoutVolatileText, headMs: idleMs, idleMs })
  const own = { ...place, capabilities, silenceMs: idleMs }
  switch (isAnthropic ? 'native' : shape) {
    case 'native': {
      const upstream = native()
      return { upstream, native: async () => upstream }
    }
    case 'compatible':
      return translatedOnly(chatUpstream({ ...own, ...provider }))
    case 'responses':
      return translatedOnly(responsesUpstream(own))
    case 'auto':
      // OpenAI's own models think better there: their thoughts come back to them between the calls of tools.
      return recogniseProvider(baseUrl) === 'openai'
        ? translatedOnly(responsesUpstream(own))
        : autoShaped(native(), chatUpstream({ ...own, ...provider }))
  }
}

function translatedOnly(upstream: Upstream): ShapedUpstream {
  return { upstream, native: async () => undefined }
}

/** Bun ends a call after five minutes of silence, in which a local model may read a long prompt. Upstreams have own limits. */
const patientFetch = (url: string, init: RequestInit): Promise<Response> => fetch(url, { ...init, timeout: false })
