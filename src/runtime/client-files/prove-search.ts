import { messageOf } from '@csp/lib/errors'
import { isObject, parseJson } from '@csp/lib/json'
import { counted } from '@csp/lib/text'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { ClientAddress, ClientAddresses, ClientRequest } from '../../clients/client.ts'
import { programEntry } from '../../clients/settings.ts'
import { csp } from '../shell/program.ts'
import type { Environment } from '../shell/shell.ts'
import { version } from '../version.ts'
import type { KnownClient } from './known-clients.ts'

/** Whether a client that is configured this way will find anything, in words. */
export interface Proof {
  readonly ok: boolean
  readonly lines: readonly string[]
}

/** The csp that a client starts itself. */
export interface OwnCsp extends Pick<ClientAddresses, 'program' | 'claudeBin'> {
  readonly environment: Environment
}

/**
 * Makes one search as a client does, by the address and key of its configuration or by the program that it starts.
 * The search counts towards the plan. `own` is where csp listens for this machine: a name that only containers have is
 * called there. Never throws.
 */
export async function proveSearch(
  { title, request }: Pick<KnownClient, 'title' | 'request'>,
  address: ClientAddress,
  own: string,
  started?: OwnCsp,
): Promise<Proof> {
  const send = senderTo(address, own)
  const began = performance.now()
  try {
    const { how, found } = await searchAs(request, address, send, started)
    const ms = performance.now() - began
    const count = counted(found.length, 'result')
    const line = `A search as ${title} makes it (${how}): ${count} in ${seconds(ms)}.`
    if (found.length === 0) return { ok: false, lines: [`${line} There should be some: ${csp} doctor`] }
    const { patienceMs = Number.POSITIVE_INFINITY } = request
    const late = ms > patienceMs ? [`Too slow for ${title}, which times out after ${seconds(patienceMs)}.`] : []
    return { ok: late.length === 0, lines: [line, ...late] }
  } catch (error) {
    return { ok: false, lines: [problemOf(title, error, address)] }
  }
}

const query = 'latest stable release of Node.js'
const deadlineMs = 60_000

type Send = (request: Request) => Promise<Response>

/** A reply that is no result. */
class ReplyError extends Error {
  override readonly name = 'ReplyError'
  readonly status: number
  constructor(status: number, said: string) {
    super(said)
    this.status = status
  }
}

function senderTo({ url }: ClientAddress, own: string): Send {
  const { hostname, host, origin } = new URL(url)
  const isOfContainers = /^host\.(?:docker|containers)\.internal$/.test(hostname)
  return (request) => {
    const signal = AbortSignal.timeout(deadlineMs)
    if (!isOfContainers) return fetch(request, { signal, redirect: 'manual' })
    const headers = new Headers(request.headers)
    headers.set('host', host)
    const there = new Request(request.url.replace(origin, own), request)
    return fetch(there, { signal, redirect: 'manual', headers })
  }
}

async function searchAs(
  request: ClientRequest,
  address: ClientAddress,
  send: Send,
  started: OwnCsp | undefined,
): Promise<{ readonly how: string; readonly found: readonly string[] }> {
  if (request.kind === 'program') {
    if (!started) throw new StartError('no program is known.')
    return { how: 'MCP, csp mcp', found: await searchByProgram(started) }
  }
  if (request.kind === 'mcp') {
    const headers = request.headers?.(address) ?? (address.key ? { authorization: `Bearer ${address.key}` } : {})
    const transport = new StreamableHTTPClientTransport(new URL(`${address.url}/mcp`), {
      requestInit: { headers: { ...headers } },
      fetch: (input, init) => send(new Request(input, init)),
    })
    return { how: 'MCP, web_search', found: await searchByMcp(transport) }
  }
  const sent = request.search(address, query)
  const how = `${sent.method} ${new URL(sent.url).pathname}`
  return { how, found: request.found(await replyTo(sent, send)) }
}

/** Starts csp as a program with a window does: with few variables and a short PATH. */
async function searchByProgram({ program, claudeBin, environment }: OwnCsp): Promise<readonly string[]> {
  const { command, args, env } = programEntry(program, claudeBin)
  const PATH = process.platform === 'win32' ? (environment['PATH'] ?? '') : '/usr/local/bin:/usr/bin:/bin'
  const names = ['HOME', 'USER', 'LOGNAME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT', 'TEMP']
  const few = names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  const variables = { ...Object.fromEntries(few), PATH, ...env }
  const transport = new StdioClientTransport({ command, args: [...args], env: variables, stderr: 'pipe' })
  let complaints = ''
  transport.stderr?.on('data', (chunk: unknown) => {
    complaints = `${complaints}${chunk}`.slice(-maxSaid)
  })
  try {
    return await searchByMcp(transport)
  } catch (error) {
    if (error instanceof ReplyError) throw error
    throw new StartError(complaints.trim() || messageOf(error))
  }
}

/** The program that a client starts does not run. */
class StartError extends Error {
  override readonly name = 'StartError'
}

async function searchByMcp(transport: Transport): Promise<readonly string[]> {
  const client = new Client({ name: 'csp-setup', version })
  try {
    await client.connect(transport, { timeout: deadlineMs })
    const call = { name: 'web_search', arguments: { query, count: 3 } }
    const { content, isError, structuredContent } = await client.callTool(call, { timeout: deadlineMs })
    const [said] = Array.isArray(content) ? content : []
    if (isError) throw new ReplyError(200, said?.type === 'text' ? said.text : '')
    const results = isObject(structuredContent) ? structuredContent['results'] : undefined
    return Array.isArray(results) ? results.map(String) : []
  } finally {
    await client.close().catch(() => {})
  }
}

async function replyTo(request: Request, send: Send): Promise<unknown> {
  const reply = await send(request)
  const text = await reply.text()
  if (!reply.ok) throw new ReplyError(reply.status, messageIn(parseJson(text)) ?? text)
  return parseJson(text)
}

/** The message of an error, in whatever way its dialect nests it. */
function messageIn(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply
  if (!isObject(reply)) return undefined
  for (const name of ['message', 'error', 'detail']) {
    const text = messageIn(reply[name])
    if (text) return text
  }
  return undefined
}

function problemOf(title: string, error: unknown, { url, key }: ClientAddress): string {
  if (error instanceof StartError) return `${title} cannot start csp: ${error.message}`
  // That of a `ReplyError`, or of an error of the MCP client.
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (status === 401 && key) return `csp at ${url} refuses the key of ${title}. Make a new one: ${csp} keys add NAME`
  if (status === 401) return `csp requires a key at ${url}. Make one: ${csp} keys add NAME`
  if (status === 404) return `The server at ${url} is not csp, or is an old version.`
  const said = error instanceof Error ? error.message : ''
  if (status === 403 && /host name/.test(said)) {
    const { hostname } = new URL(url)
    return `csp does not answer to the name ${hostname}: ${csp} start --allowed-hosts ${hostname}`
  }
  if (status !== undefined) return `A search as ${title} makes it failed: ${said.slice(0, maxSaid)}`
  if (error instanceof Error && error.name === 'TimeoutError')
    return `csp at ${url} did not answer in ${seconds(deadlineMs)}.`
  return `csp does not answer at ${url}. Start it: ${csp} start`
}

const maxSaid = 500

function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`
}
