import { describe, expect, test } from 'bun:test'
import { checkBackends, vendorPlaces } from '../../../../src/runtime/cli/doctor/check-backends.ts'
import { backendNames } from '../../../../src/runtime/config/declarations/backends.ts'
import { type Config, configSchema } from '../../../../src/runtime/config/settings.ts'
import { type Handler, serveApi } from '../../../executor/backends/http/api-server.ts'

const keys = {
  braveApiKey: 'brave-secret',
  exaApiKey: 'exa-secret',
  tavilyApiKey: 'tavily-secret',
  serperApiKey: 'serper-secret',
  anthropicApiKey: 'anthropic-secret',
}

async function check(backends: string, handler: Handler, rest: Partial<Config> = {}) {
  await using server = serveApi(handler)
  const config = configSchema.parse({ ...keys, searxngUrl: `${server.url}/sub`, backends, ...rest })
  const here = Object.fromEntries(Object.keys(vendorPlaces).map((name) => [name, server.url])) as typeof vendorPlaces
  const findings = await checkBackends(config, here)
  return { findings, requests: server.requests }
}

const refused = (code: string, loc: readonly string[]) => () =>
  Response.json({ error: { code, meta: { errors: [{ loc }] } } }, { status: 422 })

/** What the request that costs nothing gets from a vendor that works, and where it goes. */
const usable: readonly (readonly [name: string, handler: Handler, path: string])[] = [
  ['searxng', () => Response.json({ error: 'No query' }, { status: 400 }), '/sub/search?format=json'],
  ['brave', refused('VALIDATION', ['query', 'q']), '/v1/web/search'],
  ['exa', () => Response.json({ error: 'query is required' }, { status: 400 }), '/search'],
  ['tavily', () => Response.json({ key: { usage: 1 } }), '/usage'],
  ['serper', () => Response.json({ balance: 9 }), '/account'],
  ['messages', () => Response.json({ data: [] }), '/v1/models'],
  ['parallel-free', () => Response.json({ jsonrpc: '2.0', id: 1, result: { tools: [] } }), '/mcp'],
  ['exa-free', () => Response.json({ jsonrpc: '2.0', id: 1, result: { tools: [] } }), '/mcp'],
]

describe('doctor on a usable backend', () => {
  test('makes a request that costs nothing to each of them', () => {
    const others = backendNames.filter((name) => name !== 'claude' && name !== 'remote')
    expect(usable.map(([name]) => name).toSorted()).toEqual(others.toSorted())
  })

  test.each(usable)('reports %s as usable without a search', async (name, handler, path) => {
    const { findings, requests } = await check(name, handler)
    expect(findings).toEqual([{ status: 'ok', check: name, message: expect.stringMatching(/^127.* answers$/) }])
    expect(requests.map(({ url }) => url.pathname + url.search)).toEqual([path])
  })

  test('sends each key in a header to its own backend only', async () => {
    const { requests } = await check('brave,messages,tavily', () => new Response('', { status: 401 }))
    const sent = requests.map(({ headers }) => [headers.get('x-subscription-token'), headers.get('x-api-key')])
    expect(sent).toContainEqual([keys.braveApiKey, null])
    expect(sent).toContainEqual([null, keys.anthropicApiKey])
  })
})

describe('doctor on an unusable backend', () => {
  test.each([
    ['searxng', () => new Response('<html>', { status: 403 }), /search\.formats/],
    ['searxng', () => new Response('<html>'), /page for people/],
    ['searxng', () => new Response('<html>', { status: 400 }), /refused/],
    ['searxng', () => Response.json({}, { status: 500 }), /500/],
    ['brave', refused('SUBSCRIPTION_TOKEN_INVALID', []), /BRAVE_API_KEY/],
    ['brave', () => new Response('', { status: 500 }), /500/],
    ['exa', () => new Response('', { status: 401 }), /EXA_API_KEY/],
    ['tavily', () => new Response('', { status: 401 }), /TAVILY_API_KEY/],
    ['serper', () => new Response('', { status: 403 }), /SERPER_API_KEY/],
    ['messages', () => new Response('', { status: 401 }), /CSP_ANTHROPIC_API_KEY/],
    ['parallel-free', () => new Response('', { status: 404 }), /404/],
    ['exa-free', () => Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } }), /other than/],
  ])('reports %s as a failure with the reason', async (name, handler, words) => {
    const { findings } = await check(name, handler)
    expect(findings).toMatchObject([{ status: 'fail', check: name, message: expect.stringMatching(words) }])
    expect(JSON.stringify(findings)).not.toContain('secret')
  })
})

test('doctor checks messages on the sandbox without a call to another server or to Claude', async () => {
  const { findings, requests } = await check('claude,messages', () => new Response(), { sandbox: true })
  expect(findings).toEqual([{ status: 'ok', check: 'messages', message: 'on the sandbox' }])
  expect(requests).toEqual([])
})

test.each([
  ['searxng', () => new Response('No query', { status: 400 })],
  ['brave', () => Response.json({ web: {} })],
  ['exa', () => Response.json({ results: [] })],
  ['tavily', () => Response.json({}, { status: 400 })],
  ['parallel-free', () => Response.json({ jsonrpc: '2.0', id: 1, result: {} })],
] as const)('doctor does not take another answer of %s for a usable one', async (name, handler) => {
  const { findings } = await check(name, handler)
  expect(findings).toMatchObject([{ status: 'fail', remedy: expect.stringContaining('backends.md') }])
})

test('doctor says of another csp whether it takes the key, if there is one', async () => {
  const far = async (status: number, remoteKey?: string) => {
    await using server = serveApi(() => new Response('{}', { status }))
    const config = configSchema.parse({ backends: 'remote', remoteUrl: `${server.url}/sub`, remoteKey })
    const [finding] = await checkBackends(config)
    return { ...finding, sent: server.requests.map(({ url, headers }) => [url.pathname, headers.get('authorization')]) }
  }
  expect(await far(200, 'k')).toMatchObject({ status: 'ok', sent: [['/sub/v1/models', 'Bearer k']] })
  expect(await far(200)).toMatchObject({ status: 'ok', sent: [['/sub/v1/models', null]] })
  expect(await far(401)).toMatchObject({ status: 'fail', message: expect.stringContaining('CSP_REMOTE_KEY') })
  expect(await far(418)).toMatchObject({ status: 'fail', message: expect.stringContaining('418') })
})

test('doctor tries messages itself where csp is not on the sandbox, and any other backend on it', async () => {
  const { findings } = await check('messages,brave', () => new Response('', { status: 500 }), { sandbox: true })
  expect(findings.map(({ status }) => status)).toEqual(['ok', 'fail'])
})
