// What /v1/requests says, and each request as a sentence: who asked for what, and where its time went.

import { clock, count, duration } from '../words.ts'

export interface Parts {
  readonly ms: number
  readonly queued_ms: number | null
  readonly upstream_ms: number | null
  readonly pages_ms: number | null
  readonly own_ms: number | null
}

export interface RequestEntry extends Parts {
  readonly id: string
  readonly at: string
  readonly key: string | null
  readonly client: string | null
  readonly kind: Kind | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly code: string | null
  readonly cache: string | null
  readonly backend: string | null
  readonly model: string | null
  readonly effort: string | null
  readonly results: number | null
  readonly pages: number | null
}

export type Kind = 'list' | 'fast' | 'standard' | 'deep' | 'report' | 'text' | 'pages' | 'cached'

export interface Usual extends Parts {
  readonly kind: Kind
  readonly count: number
}

export interface Requests {
  readonly requests: readonly RequestEntry[]
  readonly usual: readonly Usual[]
}

export const kindNames: Readonly<Record<Kind, string>> = {
  list: 'List of results',
  fast: 'Fast answer',
  standard: 'Standard answer',
  deep: 'Deep answer',
  report: 'Report',
  text: 'Text without a search',
  pages: 'Pages alone',
  cached: 'From the cache',
}

export function whoAsked({ client, key }: Pick<RequestEntry, 'client' | 'key'>): string {
  if (client === 'the page') return key && key !== 'local' ? `You (${key})` : 'You'
  if (client === 'the terminal') return 'You, in the terminal,'
  if (client) return capital(client)
  return key ? `A program with the key “${key}”` : 'A program without a name'
}

const asked: Readonly<Record<Kind, string>> = {
  list: 'searched the web',
  fast: 'asked for a Fast answer',
  standard: 'asked for a Standard answer',
  deep: 'asked for a Deep answer',
  report: 'asked for a Report',
  text: 'had a text written',
  pages: 'had pages read',
  cached: 'asked again for something known',
}

/** What it asked for, and what came of that. */
export function whatAsked(request: RequestEntry): string {
  const { kind, results, pages, queued_ms: queued, model } = request
  if (isFailed(request)) return whyFailed(request)
  const what = kind ? asked[kind] : model ? `used the model ${model}` : others(request.path)
  const facts = [
    results ? count(results, 'result') : '',
    pages ? count(pages, 'page') : '',
    kind === 'cached' ? 'from the cache' : '',
    (queued ?? 0) >= 1000 ? `after waiting ${duration(queued ?? 0)}` : '',
  ].filter(Boolean)
  return [what, facts.join(', ')].filter(Boolean).join(' · ')
}

/** What is neither a search nor a page. */
function others(path: string): string {
  if (path.endsWith('/mcp')) return 'spoke MCP'
  if (/\/models(\/|$)/.test(path)) return 'asked which models there are'
  if (path.endsWith('/verify')) return 'had claims checked'
  return 'asked for something without a search'
}

export function isFailed({ code, status }: Pick<RequestEntry, 'code' | 'status'>): boolean {
  return code !== null || status >= 400
}

function whyFailed({ code, status, path, client }: RequestEntry): string {
  if (code === 'not-found')
    return client === 'a browser'
      ? 'asked for a page that csp does not have'
      : `called ${path}, which csp does not have`
  return codes[code ?? ''] ?? `got an error (${code ?? status})`
}

const codes: Readonly<Record<string, string>> = {
  'invalid-request': 'sent something that csp does not understand',
  'signed-out': 'got no answer: Claude is signed out',
  'rate-limited': 'got no answer: a limit is reached',
  unauthorized: 'was refused: without a key, or with a wrong one',
  forbidden: 'was refused',
  busy: 'was turned away: too many searches were waiting',
  timeout: 'got no answer in time',
  cancelled: 'left before the answer was there',
  ungrounded: 'got no answer: the model did not search',
  unavailable: 'got no answer: no backend could search',
  failed: 'got no answer: the search failed',
}

/** A sentence on what was slow lately, and why; `undefined` where nothing was. */
export function whatWasSlow(
  { requests, usual }: Requests,
  now: number,
): { readonly title: string; readonly why: string } | undefined {
  const slow = requests.filter((request) => {
    const usually = usual.find(({ kind }) => kind === request.kind)?.ms
    const isRecent = now - Date.parse(request.at) < recentMs
    return (
      isRecent && !isFailed(request) && usually !== undefined && request.ms > usually * 2 && request.ms > usually + 2000
    )
  })
  const [last] = slow
  if (!last) return undefined
  const parts = [
    ['queued', last.queued_ms ?? 0],
    ['upstream', last.upstream_ms ?? 0],
    ['pages', last.pages_ms ?? 0],
    ['own', last.own_ms ?? 0],
  ] as const
  const [part, ms] = parts.reduce((most, each) => (each[1] > most[1] ? each : most))
  const who = last.backend === 'claude' || last.backend === null ? 'Claude' : last.backend
  const why = {
    queued: `It waited ${duration(ms)} for its turn: several searches ran at once.`,
    upstream: `${who} took ${duration(ms)} to search and write.`,
    pages: `Its pages took ${duration(ms)} to load.`,
    own: `csp itself took ${duration(ms)}: this computer was busy.`,
  }[part]
  const many = slow.length === 1 ? 'A search was slow at' : `${slow.length} searches were slow, the last at`
  return { title: `${many} ${clock(last.at)}`, why: slow.length === 1 ? why : `Of the last: ${why}` }
}

const recentMs = 3_600_000

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
