import type { ChatUpstreamOptions } from '@csp/gateway/chat-completions/chat-completions'
import { recogniseProvider } from '@csp/gateway/chat-completions/provider'
import { claudePatterns, forAllSizes, type ModelPatterns } from '@csp/gateway/models'
import { isLoopback, withoutBrackets } from '@csp/lib/url'
import type { UpstreamShape } from './config/declarations/gateway.ts'
import type { Config } from './config/settings.ts'
import { UsageError } from './config/usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** An upstream as the settings give it. */
export interface UpstreamPlan {
  readonly name: string
  readonly url: string
  readonly key?: string | undefined
  /** All of them, where there are several; the first one is `key`. */
  readonly keys?: readonly string[] | undefined
  /** Headers of every request there; `null` takes one out. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  /** Fields of every body; `null` takes one out. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** The model that describes images to models which refuse them: `NAME/MODEL`. */
  readonly vision?: string | undefined
  readonly shape: UpstreamShape
  readonly patterns: ModelPatterns
  /** The models that were named with `[1m]`. */
  readonly longModels?: readonly string[] | undefined
  /** How long it may send nothing, before and within its reply. */
  readonly idleSeconds?: number | undefined
  /** Requests that run there at once. */
  readonly concurrency?: number | undefined
  /** For an upstream that is translated. */
  readonly provider: Pick<ChatUpstreamOptions, 'kind' | 'requireTools' | 'referer' | 'title'>
}

/**
 * The upstreams that are configured: those of the list, then the one of `OPENAI_BASE_URL`, unless that is
 * this csp itself, whose OpenAI-shaped routes clients find by the same variable. Throws a `UsageError` for a key that is
 * missing.
 */
export function upstreamPlans(config: Config, environment: Environment): readonly UpstreamPlan[] {
  if (config.sandbox) return []
  const listed = config.gateway.flatMap(({ name, url, key, shape, models, idle, tools = 'required', ...given }) => {
    if (url === undefined) return []
    const variable = given['key-variable']
    const found = given.keys ?? keysIn(key ?? (variable === undefined ? undefined : environment[variable]))
    if (variable !== undefined && found.length === 0)
      throw missingKey(`The upstream ${name} needs a key`, `set ${variable}`)
    const { provider: kind, referer, title, concurrency, headers, body, vision } = given
    const provider = { kind, requireTools: tools === 'required', referer, title }
    const plan = {
      name,
      url,
      ...keyOrKeys(found),
      headers,
      body,
      vision,
      shape,
      patterns: patternsFrom(models),
      longModels: longIn(Object.values(models).flat()),
      idleSeconds: idle,
      concurrency,
      provider,
    }
    return [plan]
  })
  for (const plan of listed) checkKey(plan, 'key-variable')
  const all = [...listed, ...namedByUrl(config)]
  for (const { name, vision } of all)
    if (vision !== undefined && !all.some((other) => vision.startsWith(`${other.name}/`)))
      throw new UsageError(`The vision of the upstream ${name} is ${vision}, but there is no upstream of that name.`)
  return all
}

/** The keys in a variable: one, or several with commas between them. */
function keysIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').flatMap((key) => key.trim() || [])
}

function keyOrKeys(keys: readonly string[]): Pick<UpstreamPlan, 'key' | 'keys'> {
  return { key: keys[0], ...(keys.length > 1 && { keys }) }
}

/** Whether any upstream is configured, with its key or without. */
export function hasUpstreams(config: Config): boolean {
  const { gateway, gatewayUrl, sandbox } = config
  return !sandbox && (gateway.length > 0 || (gatewayUrl !== undefined && !isOwnAddress(gatewayUrl, config)))
}

function patternsFrom(models: Config['gateway'][number]['models']): ModelPatterns {
  return Object.entries(models).map(([pattern, names]) =>
    typeof names === 'string'
      ? [pattern, bareName(names)]
      : [pattern, bareName(names[0]), ...names.slice(1).map(bareName)],
  )
}

function namedByUrl(config: Config): readonly UpstreamPlan[] {
  const { gatewayUrl: url } = config
  if (url === undefined || isOwnAddress(url, config)) return []
  const given = [config.gatewayOpus, config.gatewaySonnet, config.gatewayHaiku]
  const [opus, sonnet, haiku] = given.map((name) => name && bareName(name))
  const named = { opus, sonnet, haiku }
  const longModels = longIn(given)
  // Only OpenAI is sure to have the models that are meant where none is named.
  const names = recogniseProvider(url) === 'openai' ? named : forAllSizes(named)
  const provider = { requireTools: true }
  const keys = keyOrKeys(keysIn(config.gatewayKey))
  const plan = {
    name: nameFor(url),
    url,
    ...keys,
    shape: 'auto' as const,
    patterns: claudePatterns(names),
    longModels,
    provider,
  }
  checkKey(plan, 'OPENAI_API_KEY, or unset OPENAI_BASE_URL to have no gateway')
  return [plan]
}

/** How guides for Claude Code write that a model has a context of a million tokens. Claude Code takes it off before it asks. */
const longTag = /\[1m\]$/i

function bareName(name: string): string {
  return name.replace(longTag, '')
}

function longIn(names: readonly (string | undefined)[]): readonly string[] | undefined {
  const found = names.flatMap((name) => (name !== undefined && longTag.test(name) ? [bareName(name)] : []))
  return found.length > 0 ? found : undefined
}

function isOwnAddress(url: string, { host, port }: Config): boolean {
  const { hostname, port: theirs } = new URL(url)
  const bare = withoutBrackets(hostname)
  // csp listens on loopback whatever else it listens on.
  return Number(theirs) === port && (isLoopback(bare) || host.includes(bare))
}

/**
 * The environment for csp's own CLI: without a base URL that leads back to this csp, which the CLI would ask in circles. A
 * terminal in which Claude Code runs on the gateway has it.
 */
export function withoutOwnBaseUrl(environment: Environment, config: Config): Environment {
  const { ANTHROPIC_BASE_URL: url, ...rest } = environment
  return url && URL.canParse(url) && isOwnAddress(url, config) ? rest : environment
}

/** A server on this machine needs none; csp sends nothing without one elsewhere. */
function checkKey({ name, url, key }: UpstreamPlan, place: string): void {
  const host = withoutBrackets(new URL(url).hostname)
  if (key || isLoopback(host) || !host.includes('.')) return
  throw missingKey(`The upstream ${name} at ${host} needs a key`, `set ${place}`)
}

function missingKey(what: string, remedy: string): UsageError {
  return new UsageError(`${what}: ${remedy}.`)
}

function nameFor(url: string): string {
  const host = withoutBrackets(new URL(url).hostname)
  if (isLoopback(host)) return 'local'
  return host.replace(/^(?:api|www)\./, '').replace(/\.[a-z]+$/, '')
}

/** The values of headers that an upstream may repeat in an error: they may open something. A short one may be any word. */
export function secretHeaders({ headers = {} }: Pick<UpstreamPlan, 'headers'>): readonly string[] {
  return Object.values(headers).flatMap((value) => {
    const bare = value?.replace(/^(?:Bearer|Basic|Token) /i, '') ?? ''
    return bare.length < minSecret ? [] : [bare]
  })
}

const minSecret = 8
