import { afterAll, expect, spyOn, test } from 'bun:test'
import type { ClientAddress, ClientRequest } from '../../../src/clients/client.ts'
import { SearchError } from '../../../src/domain/error.ts'
import { proveSearch } from '../../../src/runtime/client-files/prove-search.ts'
import { testApp } from '../../api/test-app.ts'

/** What the server answers next, and what it was sent. */
let answer: (request: Request) => Response | Promise<Response> = () => Response.json({})
const seen: { readonly url: string; readonly headers: Headers }[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    seen.push({ url: request.url, headers: new Headers(request.headers) })
    return answer(request)
  },
})
const url = `http://127.0.0.1:${server.port}`
afterAll(() => server.stop(true))

const http: ClientRequest = {
  kind: 'http',
  api: 'Tavily',
  search: ({ url: base, key }, q) =>
    new Request(`${base}/find?q=${encodeURIComponent(q)}`, { headers: { 'x-key': key ?? '' } }),
  found: (reply) => (Array.isArray(reply) ? reply.map(String) : []),
}

async function prove(reply: typeof answer, address: ClientAddress = { url }, request: ClientRequest = http) {
  answer = reply
  seen.length = 0
  return proveSearch({ title: 'Zed', request }, address, url)
}

test('a search that finds pages is told with its request and its time', async () => {
  const { ok, lines } = await prove(() => Response.json(['a', 'b']), { url, key: 'k' })
  expect({ ok, lines }).toEqual({
    ok: true,
    lines: [expect.stringMatching(/^A search as Zed makes it \(GET \/find\): 2 results in \d\.\d s\.$/)],
  })
  expect([new URL(seen[0]?.url ?? '').searchParams.get('q'), seen[0]?.headers.get('x-key')]).toEqual([
    ...['latest stable release of Node.js', 'k'],
  ])
})

test('one that finds nothing has failed, and so has one that is too slow for the client', async () => {
  const { ok, lines } = await prove(() => Response.json([]))
  expect([ok, lines]).toEqual([false, [expect.stringMatching(/: 0 results in .* There should be some: csp doctor$/)]])
  const slow = await prove(() => Response.json(['a']), { url }, { ...http, patienceMs: 0.000_001 })
  expect([slow.ok, slow.lines[1]]).toEqual([false, 'Too slow for Zed, which times out after 0.0 s.'])
  const patient = await prove(() => Response.json(['a']), { url }, { ...http, patienceMs: 60_000 })
  expect([patient.ok, patient.lines.length]).toEqual([true, 1])
})

test.each([
  [1900, 1900, ['1.9 s']],
  [9999, 9000, ['10.0 s', '9.0 s']],
  [10_000, 9900, ['10 s', '9.9 s']],
  [61_700, 60_000, ['62 s', '60 s']],
])('a search of %d ms of a client that waits for %d says both, if that is too long', async (ms, patienceMs, said) => {
  using clock = spyOn(performance, 'now')
  clock.mockReturnValueOnce(500).mockReturnValueOnce(500 + ms)
  const { lines } = await prove(() => Response.json(['a']), { url }, { ...http, patienceMs })
  expect(lines.map((line) => line.match(/[\d.]+ s(?=\.$)/)?.[0])).toEqual(said)
})

test('a csp that does not answer in time is told', async () => {
  const search = () => {
    throw new DOMException('Too late.', 'TimeoutError')
  }
  expect((await prove(() => Response.json([]), { url }, { ...http, search })).lines).toEqual([
    `csp at ${url} did not answer in 60 s.`,
  ])
})

test('a client of MCP finds the rows of a csp, and says why there are none', async () => {
  const csp = testApp()
  const found = await prove((request) => csp.request(request.url, request), { url }, { kind: 'mcp' })
  expect(found).toEqual({
    ok: true,
    lines: [expect.stringMatching(/^A search as Zed makes it \(MCP, web_search\): 3 results in /)],
  })
  expect(csp.executor.calls.map(({ request }) => request.query)).toEqual(['latest stable release of Node.js'])
  const broken = testApp([new SearchError('failed', 'The site said no.')])
  expect(await prove((request) => broken.request(request.url, request), { url }, { kind: 'mcp' })).toEqual({
    ok: false,
    lines: [expect.stringMatching(/^A search as Zed makes it failed: .*The site said no\./)],
  })
})

test.each([
  [401, {}, undefined, `csp requires a key at ${url}. Make one: csp keys add NAME`],
  [401, {}, 'k', `csp at ${url} refuses the key of Zed. Make a new one: csp keys add NAME`],
  [404, {}, 'k', `The server at ${url} is not csp, or is an old version.`],
  [
    403,
    { error: 'This host name is not allowed.' },
    'k',
    'csp does not answer to the name 127.0.0.1: csp start --allowed-hosts 127.0.0.1',
  ],
  [403, { error: 'No.' }, 'k', 'A search as Zed makes it failed: No.'],
  [500, { error: { message: 'It broke.' } }, 'k', 'A search as Zed makes it failed: It broke.'],
  [500, { message: '', detail: { error: 'Deep.' } }, 'k', 'A search as Zed makes it failed: Deep.'],
  [500, { other: 1 }, 'k', 'A search as Zed makes it failed: {"other":1}'],
  [302, 'Elsewhere.', 'k', 'A search as Zed makes it failed: Elsewhere.'],
  [500, 'x'.repeat(600), 'k', `A search as Zed makes it failed: ${'x'.repeat(500)}`],
])('status %d with %j is explained to a client with the key %p', async (status, body, key, said) => {
  const headers = { location: `${url}/elsewhere` }
  const reply = () =>
    typeof body === 'string' ? new Response(body, { status, headers }) : Response.json(body, { status })
  expect(await prove(reply, { url, key })).toEqual({ ok: false, lines: [said] })
  expect(seen).toHaveLength(1)
})

test('a csp that does not run, and a program that is not known, are told', async () => {
  const closed = { url: 'http://127.0.0.1:9' }
  expect((await prove(() => Response.json({}), closed)).lines).toEqual([
    'csp does not answer at http://127.0.0.1:9. Start it: csp start',
  ])
  expect((await prove(() => Response.json({}), { url }, { kind: 'program' })).lines).toEqual([
    'Zed cannot start csp: no program is known.',
  ])
})

test.each(['docker', 'containers'])(
  'the name host.%s.internal is called on this machine, with its Host',
  async (name) => {
    const box = { url: `http://host.${name}.internal:1` }
    expect((await prove(() => Response.json(['a']), box)).ok).toBe(true)
    expect([seen[0]?.headers.get('host'), seen[0]?.headers.has('x-key')]).toEqual([`host.${name}.internal:1`, true])
    const other = { url: `http://xhost.${name}.internal.invalid:1` }
    expect((await prove(() => Response.json(['a']), other)).ok).toBe(false)
  },
)

test.each([
  [undefined, { authorization: 'Bearer k' }],
  [({ key }: ClientAddress) => ({ authorization: `Basic ${key}` }), { authorization: 'Basic k' }],
])('a client of MCP calls /mcp with its key', async (headers, expected) => {
  const request: ClientRequest = { kind: 'mcp', ...(headers && { headers }) }
  const { ok, lines } = await prove(() => new Response('', { status: 401 }), { url, key: 'k' }, request)
  expect([ok, lines]).toEqual([false, [`csp at ${url} refuses the key of Zed. Make a new one: csp keys add NAME`]])
  expect([new URL(seen[0]?.url ?? '').pathname, seen[0]?.headers.get('authorization')]).toEqual([
    ...['/mcp', expected.authorization],
  ])
  await prove(() => new Response('', { status: 401 }), { url }, { kind: 'mcp' })
  expect(seen[0]?.headers.has('authorization')).toBe(false)
})

test.each([
  [404, `The server at ${url} is not csp, or is an old version.`],
  [500, 'A search as Zed makes it failed: Error POSTing to endpoint: Oops.'],
])('status %d of MCP is told as that of other requests', async (status, said) => {
  expect((await prove(() => new Response('Oops.', { status }), { url, key: 'k' }, { kind: 'mcp' })).lines).toEqual([
    said,
  ])
})
