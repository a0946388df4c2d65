import { isClaudeName } from '@csp/messages-api/claude-families'
import type { ShapedUpstream, UpstreamHealth } from './layers/stack.ts'
import { type ModelPatterns, matchesPattern } from './models.ts'

/** An upstream as it is configured. */
export interface GatewayUpstream extends ShapedUpstream {
  /** Letters, digits, dots and dashes: a model `NAME/…` is meant for it. */
  readonly name: string
  /** Whether it is the vendor's own API, which has server tools of its own. */
  readonly isAnthropic: boolean
  /** Asked names with its own names of the models, the first match wins. */
  readonly patterns: ModelPatterns
  /** Absent if it has no layers that know. */
  health?(): UpstreamHealth
}

/** The upstream of a request, and its name of the model. */
export interface GatewayRoute {
  readonly to: GatewayUpstream
  readonly model: string
  /** Tried in this order when this upstream fails. */
  readonly fallbacks?: readonly GatewayRoute[] | undefined
}

/** A model as a list names it. */
export interface ListedModel {
  /** Holds `claude` or `anthropic`: Claude Code lists no others. */
  readonly id: string
  readonly title: string
  readonly upstream: string
}

/** The upstreams of a gateway, and what applies to all of them. */
export interface GatewayOptions {
  /** In the order in which their patterns are tried. The first one also takes every name that nobody knows. */
  readonly upstreams: readonly GatewayUpstream[]
  /** Whether Claude's own names that no pattern matches go to the Claude executor. */
  readonly servesClaude?: boolean | undefined
  /** The longest time for one request, with its searches and tries; none by default. */
  readonly timeoutMs?: number | undefined
}

/** Models of other providers behind the Messages API: chooses the upstream for a request by its model. */
export interface Gateway {
  readonly upstreams: readonly GatewayUpstream[]
  /**
   * Chooses the route of a model: the upstream that its prefix names, else the first whose patterns match, else the
   * first of all. `own` is csp itself, for names that `isOwn` knows, and for those of Claude if they are served here.
   */
  routeOf(model: string, isOwn: (model: string) => boolean): GatewayRoute | 'own' | 'unknown'
  readonly timeoutMs: number | undefined
  /** What can be asked for by an exact name, for the list of models. */
  readonly models: readonly ListedModel[]
  /** How the upstreams stand, as far as it is known. Asks nobody. */
  health(): readonly UpstreamHealth[]
  close(): Promise<void>
}

/** Creates a gateway over upstreams, in the order in which their patterns are tried. Sends nothing by itself. */
export function createGateway({ upstreams, servesClaude = false, timeoutMs }: GatewayOptions): Gateway {
  const namedBy = (name: string): GatewayRoute | undefined => {
    const slash = name.indexOf('/')
    const to = upstreams.find((candidate) => slash > 0 && candidate.name === name.slice(0, slash).toLowerCase())
    return to && { to, model: name.slice(slash + 1) }
  }
  /** Each of several names may be another upstream's; a single one is the model of its own upstream, as it is. */
  const routeAmong = (to: GatewayUpstream, [model, ...others]: readonly [string, ...string[]]): GatewayRoute => {
    if (others.length === 0) return { to, model }
    const routeFor = (name: string): GatewayRoute => namedBy(name) ?? { to, model: name }
    return { ...routeFor(model), fallbacks: others.map(routeFor) }
  }
  const patternFor = (name: string, isExact: boolean): GatewayRoute | undefined => {
    for (const to of upstreams) {
      const match = to.patterns.find(
        ([pattern]) => !(isExact && pattern.includes('*')) && matchesPattern(name, pattern),
      )
      if (!match) continue
      const [, ...names] = match
      return routeAmong(to, names)
    }
    return undefined
  }
  return {
    upstreams,
    timeoutMs,
    models: listedModels(upstreams),
    routeOf(name, isOwn) {
      const named = namedBy(name) ?? (name.startsWith(listPrefix) ? namedBy(name.slice(listPrefix.length)) : undefined)
      if (named) return named
      // `chat-haiku` is csp's own, though `*haiku*` matches it.
      const isNamedHere = isOwn(name) && !isClaudeName(name)
      const matched = patternFor(name, isNamedHere)
      if (matched) return matched
      if (isClaudeName(name)) return servesClaude ? 'own' : 'unknown'
      if (isNamedHere) return 'own'
      const [first] = upstreams
      return first ? { to: first, model: name } : 'own'
    },
    health: () => upstreams.map((to) => to.health?.() ?? { name: to.name, ready: true }),
    async close() {
      await Promise.all(upstreams.map(({ upstream }) => upstream.close()))
    },
  }
}

/** Stands before a name of an upstream's in a list of models. */
const listPrefix = 'anthropic/'

/** The names that patterns give exactly, and each model that a pattern leads to, by its upstream. */
function listedModels(upstreams: readonly GatewayUpstream[]): readonly ListedModel[] {
  const listed = upstreams.flatMap(({ name: upstream, patterns }) =>
    patterns.flatMap(([pattern, model]): readonly ListedModel[] => {
      const title = `${upstream}/${model}`
      const exact = pattern.includes('*') ? [] : [{ id: pattern, title: pattern, upstream }]
      return [...exact, { id: listPrefix + title, title, upstream }]
    }),
  )
  return listed.filter(({ id }, index) => listed.findIndex((other) => other.id === id) === index)
}
