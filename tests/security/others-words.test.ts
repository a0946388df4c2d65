import { afterAll, describe, expect, test } from 'bun:test'
import type { Gateway } from '@csp/gateway/gateway'
import { sampled } from '@csp/testing/runs'
import type { Executor } from '../../src/executor/executor.ts'
import { Breaker } from '../../src/executor/layers/resilience/breaker.ts'
import { createBackendStack, createStack } from '../../src/executor/layers/stack.ts'
import { brave, exa, messages, remote, searxng, serper, tavily } from '../../src/library/backends.ts'
import { main } from '../../src/runtime/cli/main.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { createConfiguredApp } from '../../src/runtime/server/create-app.ts'
import { testShell } from '../runtime/test-shell.ts'
import { startClaude } from '../support/claude-executor.ts'
import { oddClaude } from '../support/odd-claude.ts'
import { scratchHome } from '../support/real-claude.ts'
import { upstreamSettings } from '../support/upstream-settings.ts'

// What a server says of one caller's request, that caller alone may read. What is told to others later knows the kind
// of the failure and nothing else.

const keys = { victim: 'key-of-the-victim', other: 'key-of-the-other' }
const question = 'zanzibar wedding ledger'
/** What nobody asked for: a server may say it of what it was asked before. */
const secret = 'SECRET-4711-of-the-victim'
const traces = /zanzibar|wedding|SECRET-4711/i
const clears = '\u001b[2J'

/** How a server fails: the reply to a request, of which `echo` is all that was sent. */
const failures: Readonly<Record<string, (echo: string) => Response>> = {
  ...Object.fromEntries(
    sampled([400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529]).map((status) => [
      `${status} that quotes the request`,
      (echo: string) => Response.json(envelope(echo), { status }),
    ]),
  ),
  'an error in a reply of 200': (echo) => Response.json(envelope(echo)),
  'a text in place of JSON': (echo) => new Response(`<h1>${echo}`),
  'a redirect that quotes the request': () => Response.redirect(`http://${secret}.example/`, 307),
  'an event that is an error': (echo) => events(JSON.stringify({ ...envelope(echo), type: 'error', code: 'failed' })),
  'an event that is no JSON': (echo) => events(`{"choices": ${echo}`, `{"choices": ${echo}`),
  'an event of another form': (echo) => events(JSON.stringify({ type: echo, message: echo, choices: echo })),
  'a message of another form': (echo) =>
    events(JSON.stringify({ type: 'message_start', message: { id: echo, usage: echo } })),
  'no end of its reply': (echo) => events(JSON.stringify({ choices: [{ delta: { content: echo } }] })),
  'engines that say why they failed': (echo) =>
    Response.json({ results: [], unresponsive_engines: [[echo, echo], [secret]] }),
  'JSON that breaks off': (echo) => new Response(`{"results": [{"${echo}`, { headers: json }),
}
const json = { 'content-type': 'application/json' }

function envelope(echo: string) {
  const said = `${clears}${secret} ${echo}`
  const error = { type: 'api_error', code: said, message: said, detail: said, meta: { errors: [{ loc: [said] }] } }
  return { type: 'error', code: 'unavailable', error, message: said, detail: said, reason: said }
}

function events(...data: readonly string[]): Response {
  const text = data.map((each) => `data: ${each.replaceAll('\n', ' ')}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

/** The addresses whose server has calmed down: it fails, and quotes nobody. */
const calm = new Set<string>()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const [, place = '', path] = new URL(request.url).pathname.split('/')
    if (path === 'health') return Response.json({ status: 'ok' })
    const fails = failures[decodeURIComponent(place.replace(/-[a-z]+$/, ''))]
    if (calm.has(place) || !fails) return Response.json({ error: { message: 'It broke.' } }, { status: 500 })
    return fails(`${secret} ${decodeURIComponent(request.url.replaceAll('+', ' '))} ${await request.text()}`)
  },
})
const home = await scratchHome()
afterAll(async () => {
  await server.stop(true)
  await home[Symbol.asyncDispose]()
})

const backends: Readonly<Record<string, (url: string) => Executor>> = {
  brave: (url) => brave({ ...search, url }),
  exa: (url) => exa({ ...search, url }),
  tavily: (url) => tavily({ ...search, url }),
  serper: (url) => serper({ ...search, url }),
  searxng: (url) => searxng({ url, requestsPerSecond: 0 }),
  messages: (url) => messages({ apiKey: 'a-key-of-csp', url }),
  remote: (url) => remote({ url }),
}
const search = { key: 'a-key-of-csp', requestsPerSecond: 0 }

/** A csp of two callers, with all that its log has from `info` upwards. */
function startApp(
  backend: Executor,
  gatewayFor: (log: (line: string) => void) => Gateway | undefined = () => undefined,
) {
  const log: string[] = []
  const gateway = gatewayFor((line) => log.push(line))
  const breaker = new Breaker({ name: backend.name, log: (line) => log.push(line) })
  const executor = createStack([createBackendStack(backend, { breaker, timeoutMs: 10_000 })], {})
  const environment = { HOME: home.path, CSP_API_KEYS: Object.values(keys).join(',') }
  const { config } = loadConfig({}, environment, home.path)
  const app = createConfiguredApp(
    config,
    executor,
    (level, message, properties) => {
      if (level !== 'debug') log.push(`${message} ${JSON.stringify(properties)}`)
    },
    { gateway },
  )
  const served = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: (request) => app(request) })
  return {
    log,
    async ask(key: string | undefined, path: string, body?: unknown): Promise<string> {
      const response = await fetch(`http://127.0.0.1:${served.port}${path}`, {
        headers: { ...(key && { authorization: `Bearer ${key}` }), 'x-requested-with': 'test' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      return `${path} ${response.status} ${await response.text()}`
    },
    async status(): Promise<string> {
      const shell = testShell({
        directory: home.path,
        environment: { HOME: home.path, CSP_API_KEYS: keys.other },
      })
      await main(['status', `http://127.0.0.1:${served.port}`], shell)
      return shell.printed() + shell.complaints()
    },
    async stop() {
      await served.stop(true)
      await gateway?.close()
      await backend.close()
    },
  }
}

type TestedApp = ReturnType<typeof startApp>

/** What there is to read for another caller, for one without a key, and for the operator. */
async function readBy(app: TestedApp, asks: (app: TestedApp, key: string, text: string) => Promise<readonly string[]>) {
  const open = ['/health', '/health/ready', '/metrics', '/v1/usage', '/v1/requests', '/v1/models', '/']
  return [
    ...(await asks(app, keys.other, 'seals')),
    ...(await Promise.all(open.flatMap((path) => [app.ask(keys.other, path), app.ask(undefined, path)]))),
    await app.status(),
    ...app.log,
  ]
}

const lists = async (app: TestedApp, key: string, text: string) => [
  await app.ask(key, `/v1/search?${new URLSearchParams({ q: text })}`),
]

const messagesOf = async (app: TestedApp, key: string, text: string) => {
  const asked = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: text }] }
  return [await app.ask(key, '/v1/messages', asked), await app.ask(key, '/v1/messages', { ...asked, stream: true })]
}

const searches = async (app: TestedApp, key: string, text: string) => {
  const chat = { model: 'sonar-pro', messages: [{ role: 'user', content: text }] }
  const schema = { type: 'object', properties: { [text]: { type: 'string' } }, required: [text] }
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }
  return [
    await app.ask(key, `/v1/search?${new URLSearchParams({ q: text })}`),
    await app.ask(key, '/chat/completions', chat),
    await app.ask(key, '/chat/completions', { ...chat, response_format }),
  ]
}

/** The victim asks until breakers open; then others look everywhere. Returns what they find. */
async function foundAfter(place: string, app: TestedApp, asks: typeof searches): Promise<readonly string[]> {
  try {
    const own: string[] = []
    for (let count = 0; count < 5; count++) own.push(...(await asks(app, keys.victim, `${question} ${count}`)))
    calm.add(place)
    const seen = await readBy(app, asks)
    return [
      ...seen.filter((text) => traces.test(text)),
      // Neither may the caller itself be sent what acts on its terminal; what passes through is as it was sent.
      ...own.filter((text) => / [45]\d\d /.test(text) && (text.includes(clears) || text.includes('u001b['))),
    ].map((text) => `${place}: ${text}`)
  } finally {
    await app.stop()
  }
}

async function foundAfterAll(name: string, attack: (place: string, url: string) => Promise<readonly string[]>) {
  const places = Object.keys(failures).map((failure) => `${encodeURIComponent(failure)}-${name}`)
  const found = await Promise.all(places.map((place) => attack(place, `http://127.0.0.1:${server.port}/${place}`)))
  return found.flat()
}

describe('after a server has failed in any way that quotes a caller, others read nothing of it where it is', () => {
  test.each(Object.entries(backends))('the backend %s', async (name, create) => {
    const attack = (place: string, url: string) => foundAfter(place, startApp(create(url)), searches)
    expect(await foundAfterAll(name, attack)).toEqual([])
  })

  test.each(['native', 'compatible', 'responses', 'auto'] as const)('an upstream of the shape %s', async (shape) => {
    const attack = (place: string, url: string) => {
      const environment = { HOME: home.path, ...upstreamSettings(url, shape) }
      const { config } = loadConfig({}, environment, home.path)
      const app = startApp(brave({ ...search, url }), (log) => createConfiguredGateway(config, environment, { log }))
      return foundAfter(place, app, messagesOf)
    }
    expect(await foundAfterAll(shape, attack)).toEqual([])
  })

  test.each([
    ['the Claude CLI, by what it writes as it ends', 'read line; echo "$line" >&2; exit 1'],
    [
      'the Claude CLI, by a result that is an error',
      `read line; said=$(echo "$line" | tr -dc 'a-zA-Z0-9 '); printf '{"type":"result","subtype":"success","is_error":true,"result":"${secret} %s"}\\n' "$said"; exit 1`,
    ],
  ])('%s', async (_, script) => {
    const binary = oddClaude(home.path, `case "$1 $2" in --print*|*mcp*) ${script};; esac; exec "$claude" "$@"`)
    await using claude = await startClaude({ findBinary: () => binary })
    expect(await foundAfter('cli', startApp(claude.executor), lists)).toEqual([])
  })
})
