import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventData } from '@csp/lib/event-stream'
import type { MessagesEvent } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { ContentBlock } from '@csp/messages-api/request'

/** A call of the API that failed, in the words of the CLI. */
export class ApiFailure extends Error {
  readonly status: number | undefined
  readonly kind: string | undefined

  constructor(text: string, status?: number, kind?: string) {
    super(text)
    this.status = status
    this.kind = kind
  }
}

export interface Call {
  readonly body: Readonly<Record<string, unknown>>
  readonly client: 'mcp' | 'sdk-cli'
  readonly session: string
  readonly signal: AbortSignal
  readonly onRetry?: ((status: number | null) => void) | undefined
  readonly onLimit?: ((info: Readonly<Record<string, unknown>>) => void) | undefined
}

const { env } = process

/** The full name of a model that is called by its tier. */
export function fullName(model: string): string {
  return /^(sonnet|opus|haiku)$/.test(model) ? `claude-${model}-5-5` : model
}

/** The events of one call, which is made again where the CLI would. */
export async function* callModel(call: Call): AsyncGenerator<MessagesEvent, void, undefined> {
  const retries = Number(env['CLAUDE_CODE_MAX_RETRIES'] ?? 10)
  for (let attempt = 1; ; attempt++) {
    let hasBegun = false
    try {
      for await (const event of send(call)) {
        hasBegun = true
        yield event
      }
      return
    } catch (error) {
      const failure = call.signal.aborted || error instanceof ApiFailure ? error : connectionLost(error)
      const status = failure instanceof ApiFailure ? failure.status : undefined
      const mayPass = failure instanceof ApiFailure && (isPassing(failure.message) || status === 401)
      if (!mayPass || attempt > retries || (hasBegun && call.client === 'mcp')) throw failure
      // The end that the CLI makes up for a message that broke off.
      if (hasBegun) yield { type: 'message_stop' }
      call.onRetry?.(status ?? null)
      await Bun.sleep(500)
    }
  }
}

/** Whether the same call may succeed soon. */
function isPassing(text: string): boolean {
  return /not your usage limit|server-side issue|usually temporary|Unable to connect/.test(text)
}

async function* send({ body, client, session, signal, onLimit }: Call): AsyncGenerator<MessagesEvent, void, undefined> {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: authToken, CLAUDE_CODE_OAUTH_TOKEN: given } = env
  const token = authToken || given || storedToken()
  if (!key && !token) throw new ApiFailure('Not logged in · Please run /login', 401)
  const response = await fetch(`${env['ANTHROPIC_BASE_URL']}/v1/messages?beta=true`, {
    method: 'POST',
    signal,
    headers: {
      ...(key ? { 'x-api-key': key } : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,oauth-2025-04-20',
      'user-agent': `claude-cli/${env['STAND_IN_VERSION']} (external, ${client})`,
      'x-app': 'cli',
      'x-claude-code-session-id': session,
    },
    body: JSON.stringify({ ...body, max_tokens: 128_000, stream: true }),
  })
  const limit = limitOf(response.headers)
  if (limit) onLimit?.(limit)
  if (!response.ok) throw explained(response, await response.text(), String(body['model']))
  let hasEnded = false
  for await (const data of eventData(response.body ?? new Blob().stream(), 1e9)) {
    const event: MessagesEvent | ErrorEvent = parsed(data)
    if (event.type === 'error') throw new ApiFailure(`API Error: ${event.error.message}`)
    hasEnded ||= event.type === 'message_stop'
    if (event.type !== 'ping') yield event
  }
  if (!hasEnded) throw connectionLost(undefined)
}

/** The login of a person who has signed in. */
function storedToken(): string | undefined {
  try {
    const text = readFileSync(join(env['HOME'] ?? '', '.claude/.credentials.json'), 'utf8')
    return JSON.parse(text).claudeAiOauth.accessToken
  } catch {
    return undefined
  }
}

/** What the plan of that person has used: nothing is told of a token in the environment. */
export async function usageOfPlan(): Promise<object> {
  const token = env['CLAUDE_CODE_OAUTH_TOKEN'] ? undefined : storedToken()
  if (token === undefined) return { subscription_type: null, rate_limits_available: false, rate_limits: null }
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${env['ANTHROPIC_BASE_URL']}/api/oauth/usage`, { headers })
  return { subscription_type: 'max', rate_limits_available: true, rate_limits: await response.json() }
}

interface ErrorEvent {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string }
}

function parsed(data: string) {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new ApiFailure(`API Error: ${error instanceof Error ? error.message : error}`)
  }
}

function connectionLost(error: unknown): ApiFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/ConnectionRefused|FailedToOpenSocket/.test(code))
    return new ApiFailure('API Error: Unable to connect to API (ECONNREFUSED)')
  return new ApiFailure(
    'API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.',
    undefined,
    'connection_failed',
  )
}

const serverSide = 'This is a server-side issue, usually temporary — try again in a moment.'

function explained({ status, headers }: Response, text: string, model: string): ApiFailure {
  const { error }: Partial<ErrorEvent> = parsed(text || '{}')
  const { type, message } = { type: undefined, message: text, ...error }
  const fail = (said: string) => new ApiFailure(said, status, type)
  const plain = `API Error: ${status} ${message}`
  if (status === 401 || status === 403) return fail(`Failed to authenticate. ${plain}`)
  if (status === 404)
    return fail(
      `There's an issue with the selected model (${model}). It may not exist or you may not have access to it.`,
    )
  if (status === 413) return fail('Request too large (max 32MB).')
  if (status === 429) {
    const claim = headers.get(`${prefix}-representative-claim`)
    if (!claim) return fail(`API Error: Server is temporarily limiting requests (not your usage limit) · ${message}`)
    const window = claim === 'five_hour' ? '5-hour' : 'weekly'
    return fail(`You've hit your ${window} limit · resets ${timeOf(Number(headers.get(`${prefix}-reset`)))}`)
  }
  if (/credit balance/.test(message)) return fail('Credit balance is too low')
  return fail(status >= 500 ? `${plain}. ${serverSide}` : plain)
}

function timeOf(seconds: number): string {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: 'UTC', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', hour12: true },
  })
  return `${format.format(new Date(seconds * 1000)).replace(/\s([AP]M)$/, (_, half) => half.toLowerCase())} (UTC)`
}

const prefix = 'anthropic-ratelimit-unified'

/** What the CLI says of a plan's usage, from the headers of a reply. */
function limitOf(headers: Headers): Readonly<Record<string, unknown>> | undefined {
  const read = (name: string) => headers.get(`${prefix}-${name}`) ?? undefined
  const number = (name: string) => (read(name) === undefined ? undefined : Number(read(name)))
  const [status, rateLimitType] = [read('status'), read('representative-claim')]
  if (!status || !rateLimitType) return undefined
  const windows = Object.entries({ five_hour: '5h', seven_day: '7d' }).filter(([, name]) => read(`${name}-status`))
  const claimed = rateLimitType === 'five_hour' ? '5h' : '7d'
  return {
    status,
    resetsAt: number('reset'),
    rateLimitType,
    ...(status !== 'allowed' && { utilization: number(`${claimed}-utilization`) }),
    isUsingOverage: read('overage-in-use') === 'true',
    ...(read('overage-status') && { overageStatus: read('overage-status') }),
    unifiedWindows: Object.fromEntries(
      windows.map(([window, name]) => [
        window,
        {
          utilization: number(`${name}-utilization`),
          resetsAt: number(`${name}-reset`),
          status: read(`${name}-status`),
        },
      ]),
    ),
  }
}

export interface Search {
  readonly query: string
  readonly allowed_domains?: readonly string[]
  readonly blocked_domains?: readonly string[]
}

interface Links {
  readonly tool_use_id: string
  readonly content: readonly { readonly title: string; readonly url: string }[]
}

interface SearchResults {
  readonly tool_use_id: string
  readonly content: Links['content'] | { readonly error_code: string }
}

/** The tool `WebSearch`: one call of the API, and what the CLI makes of it. */
export async function webSearch(search: Search, call: Omit<Call, 'body'>, model: string) {
  const { query, ...domains } = search
  const text = `Perform a web search for the query: ${query}`
  const system = [
    'You run a web search for another Claude model, which is waiting on the result and can search again. Search once, then reply with a brief summary of the results.',
  ]
  const body = {
    model: fullName(model),
    system: system.map((said) => ({ type: 'text', text: said })),
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8, ...domains }],
    output_config: { effort: env['CLAUDE_CODE_EFFORT_LEVEL'] },
  }
  const fold = new MessageFold()
  let whole = 0
  try {
    for await (const event of callModel({ ...call, body })) {
      fold.read(event)
      if (event.type === 'content_block_stop') whole++
    }
  } catch (error) {
    // The blocks that were whole when the connection broke are its result.
    if (!(error instanceof ApiFailure && error.kind === 'connection_failed') || whole === 0) throw error
  }
  return { query, ...outputOf(fold.content.slice(0, whole)), durationSeconds: 0.1 }
}

/** The lists of links and the texts of a search, in their order. */
function outputOf(blocks: readonly ContentBlock[]) {
  const results: (string | Links)[] = []
  let said = ''
  const flush = () => {
    if (said.trim() !== '') results.push(said.trim())
    said = ''
  }
  let searchCount = 0
  for (const block of blocks) {
    if (block.type === 'text') said += String(block['text'])
    else flush()
    if (block.type !== 'web_search_tool_result') continue
    searchCount++
    const { content, tool_use_id } = block as unknown as SearchResults
    if ('error_code' in content) results.push(`Web search error: ${content.error_code}`)
    else results.push({ tool_use_id, content: content.map(({ title, url }) => ({ title, url })) })
  }
  flush()
  return { results, searchCount }
}
