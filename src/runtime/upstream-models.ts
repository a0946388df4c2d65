import { recogniseProvider } from '@csp/gateway/chat-completions/provider'
import { readLimited } from '@csp/lib/bytes'
import { parseJson } from '@csp/lib/json'
import { withoutLastSlashes } from '@csp/lib/url'
import { z } from 'zod'
import type { UpstreamPlan } from './upstream-plans.ts'

/** Where a server is, and how it is spoken to. */
export type UpstreamPlace = Pick<UpstreamPlan, 'url' | 'key' | 'shape' | 'headers'>

/** What an upstream replied to the question for its models. */
export interface ModelsReply {
  /** Absent if it cannot be reached, or does not reply in time. */
  readonly status?: number | undefined
  /** Absent if the reply is no list of models. */
  readonly models?: readonly string[] | undefined
  /** All that the list says of each, by its name. */
  readonly entries?: ReadonlyMap<string, unknown> | undefined
}

/** Asks an upstream for its models, in the shapes of OpenAI, Anthropic and Ollama, which costs nothing, and whether it accepts the key. Never throws. */
export async function askModels(place: UpstreamPlace): Promise<ModelsReply> {
  const listed = await ask(place, 'models')
  // Its list is open to everybody.
  const checksKey = recogniseProvider(place.url) !== 'openrouter' || listed.status !== 200
  const { status } = checksKey ? listed : await ask(place, 'key')
  if (status !== 200 || listed.text === undefined) return { status }
  const list = schema.safeParse(parseJson(listed.text)).data
  if (!list?.data && !list?.models) return { status }
  const named: (readonly [string, unknown])[] = [
    ...(list.data ?? []).map((entry) => [entry.id, entry] as const),
    ...(list.models ?? []).map((entry) => [entry.name, entry] as const),
  ]
  // A llama.cpp lists each model in both.
  return { status, models: named.map(([name]) => name), entries: new Map(named.toReversed()) }
}

/** Whether a model is in a list. Ollama leaves out the tag that is meant without one; Google names a model by its path. */
export function isListed(model: string, listed: readonly string[]): boolean {
  return [model, `${model}:latest`, `models/${model}`].some((name) => listed.includes(name))
}

/** Models for a message, as many as a reader looks through. */
export function shownModels(models: readonly string[]): string {
  return models.slice(0, maxShown).join(', ') + (models.length > maxShown ? ', …' : '')
}

const maxShown = 12

function ask(upstream: UpstreamPlace, path: string) {
  const place = new URL(upstream.url)
  const base = withoutLastSlashes(place.pathname)
  // The Messages API is below `/v1` of every address, chat completions if there is no other path.
  place.pathname = `${base === '' || (upstream.shape === 'native' && !base.endsWith('/v1')) ? `${base}/v1` : base}/${path}`
  return askUpstream(upstream, place)
}

/** An address beside `/v1`, where servers have routes of their own. */
export function rootOf({ url }: UpstreamPlace, path: string): URL {
  const place = new URL(url)
  place.pathname = withoutLastSlashes(place.pathname).replace(/\/v1$/, '') + path
  return place
}

/** Asks a server for something that costs nothing. Nothing where it does not answer in time. */
export async function askUpstream({ key, headers: given = {} }: UpstreamPlace, place: URL, body?: string) {
  // Anthropic takes a bearer token for a login of another kind.
  const isAnthropic = /(?:^|\.)anthropic\.com$/.test(place.hostname)
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(key && { 'x-api-key': key, ...(!isAnthropic && { authorization: `Bearer ${key}` }) }),
    ...Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
  }
  try {
    const method = body === undefined ? 'GET' : 'POST'
    const signal = AbortSignal.timeout(maxAskMs)
    const response = await fetch(place, { method, headers, body: body ?? null, redirect: 'manual', signal })
    return { status: response.status, text: await readLimited(response, maxReplyBytes) }
  } catch {
    return {}
  }
}

const schema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string() })).nullish(),
  models: z
    .array(z.looseObject({ name: z.string() }))
    .nullish()
    .catch(undefined),
})
const maxAskMs = 3000
const maxReplyBytes = 4_000_000
