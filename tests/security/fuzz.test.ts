import { expect, setDefaultTimeout, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import fc from 'fast-check'
import { type TestApp, testApp } from '../api/test-app.ts'
import { concretePath } from '../support/concrete-path.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { pageRoutes, searchRoutes } from '../support/routes.ts'
import { answered, found, scriptedExecutor } from '../support/scripted-executor.ts'
import { getRoutes, postRoutes } from './every-route.ts'
import { ruleFor } from './prompt-routes.ts'

// Requests that are nearly right, and some that are not at all, to every route. `FUZZ_RUNS=20000` makes it many more,
// `FUZZ_SEED` other ones; a failure names the seed and the path that lead to it.

const runs = Number(process.env['FUZZ_RUNS'] ?? 2_000)
const seed = Number(process.env['FUZZ_SEED'] ?? 4711)
setDefaultTimeout(Math.max(180_000, runs * 20))

interface Sent {
  readonly path: string
  readonly init: RequestInit
}

/** Whole requests to every route by POST, in all the forms that the tests of prompts know. */
const whole = searchRoutes
  .filter(({ methods }) => methods.POST)
  .flatMap(({ path }) => (ruleFor('POST', path)?.asks ?? []).map((ask) => ({ path, body: ask('bees').body })))
  .concat(postRoutes)
  .concat(pageRoutes.filter(({ path }) => !path.includes('{')).map(({ path }) => ({ path, body: pageBody() })))
  .map(({ path, body }) => ({ path: concretePath(path), body }))

/** What routes that read pages take, each some of it. */
function pageBody() {
  const url = 'https://bees.example/'
  const claim = { claim: 'Bees dance.', sources: [{ url }, { text: 'Bees dance.', title: 'Bees' }] }
  const reading = { formats: ['markdown', 'links'], query: 'bees', timeout: 9, max_characters: 9 }
  return { url, urls: [url], text: true, ...reading, ...claim }
}

const odd = fc.oneof(
  fc.jsonValue(),
  anyText(),
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -0,
    -1,
    1e308,
    1.5,
    true,
    [],
    {},
    [[]],
    [null],
    { type: 'x' },
    '\ud800',
    '\0',
    ' ',
  ),
  fc.constantFrom<unknown>(
    'auto',
    'text',
    'user',
    'assistant',
    'tool',
    'function',
    'json_schema',
    'sonar',
    '2026-02-30',
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(5_000),
    Array(200).fill('a.example'),
    { $ref: '#' },
    { type: 'object', properties: { a: 1 } },
  ),
)

/** A change of one place of a body, which is found by walking to it. */
const change = fc.record({
  steps: fc.array(fc.nat(30), { maxLength: 7 }),
  act: fc.constantFrom('set', 'delete', 'add', 'twice', 'rename'),
  value: odd,
})

const header = fc.tuple(
  fc.constantFrom(
    'content-type',
    'accept',
    'cache-control',
    'authorization',
    'x-api-key',
    'x-loc-country',
    'x-loc-city',
    'x-loc-timezone',
    'mcp-session-id',
    'mcp-protocol-version',
    'origin',
    'referer',
    'sec-fetch-site',
    'content-length',
    'user-agent',
    'x-a',
  ),
  fc.oneof(
    fc.string(),
    fc.constantFrom('application/json', 'text/event-stream', 'application/x-www-form-urlencoded', 'none', '0', 'DE'),
  ),
)

const nearlyRight = fc
  .record({
    route: fc.constantFrom(...whole),
    changes: fc.array(change, { maxLength: 3 }),
    headers: fc.array(header, { maxLength: 2 }),
  })
  .map(({ route, changes, headers }): Sent => {
    const body = changes.reduce<unknown>(changed, structuredClone(route.body))
    return { path: route.path, init: { method: 'POST', body: JSON.stringify(body) ?? '', headers: headersOf(headers) } }
  })

const anyBytes = fc
  .record({
    route: fc.constantFrom(...whole),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
    ),
    headers: fc.array(header, { maxLength: 3 }),
  })
  .map(
    ({ route, body, headers }): Sent => ({
      path: route.path,
      init: { method: 'POST', body: new Uint8Array(body), headers: headersOf(headers) },
    }),
  )

const byQuery = fc
  .record({
    path: fc.constantFrom(...getRoutes),
    more: fc.array(
      fc.tuple(
        fc.constantFrom(
          'q',
          'count',
          'offset',
          'freshness',
          'format',
          'pageno',
          'time_range',
          'country',
          'key',
          'ids',
          'limit',
          'language',
          'a',
        ),
        fc.oneof(anyText(), fc.constantFrom('5', 'json', 'pd', 'day', 'DE')),
      ),
      { maxLength: 4 },
    ),
    keeps: fc.boolean(),
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'),
  })
  .map(({ path, more, keeps, method }): Sent => {
    const [bare = '', query] = path.split('?')
    return {
      path: `${bare}?${new URLSearchParams([...(keeps ? new URLSearchParams(query) : []), ...more])}`,
      init: { method },
    }
  })

const anyPath = fc
  .record({
    path: fc.webPath(),
    query: fc.webQueryParameters(),
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'TRACE'),
  })
  .map(
    ({ path, query, method }): Sent => ({
      path: `${path.startsWith('/') ? '' : '/'}${path}?${query}`,
      init: { method },
    }),
  )

const request = fc.oneof(
  { weight: 6, arbitrary: nearlyRight },
  { weight: 2, arbitrary: anyBytes },
  { weight: 3, arbitrary: byQuery },
  { weight: 1, arbitrary: anyPath },
)

test(`${runs} random requests are answered or refused in JSON and in their vendor's words, and a refusal costs no search`, async () => {
  const app = testApp(scripted, { pages: fakePageReader({ 'https://bees.example/': 'Bees dance.' }) })
  const shapes = await errorShapes(app)
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(request, async ({ path, init }) => {
    const searches = app.executor.calls.length
    const response = await app.request(path, init)
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const text = await response.text()
    expect(status).toBeLessThan(500)
    expect(app.executor.running).toBe(0)
    if (init.method === 'HEAD') return
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      for (const block of text.split('\n\n').filter(Boolean))
        expect(block).toMatch(/^(event: .*\n)?(id: .*\n)?(data: .*\n?)*$|^: ping$/)
      return
    }
    if (status === 202 && text === '') return // what JSON-RPC says to a notification
    if (status === 200 && response.headers.get('content-type')?.startsWith('text/plain')) return // Jina's reader
    const reply: unknown = JSON.parse(text)
    if (status < 400) return
    expect(text.length).toBeLessThan(20_000)
    expect(app.executor.calls.length).toBe(searches)
    const shape = shapes.get(path.split('?')[0] ?? '')
    // Perplexity's clients and Serper's share this path.
    const other = path === '/search' ? shapes.get('/serper/search') : undefined
    if (shape && init.method === 'POST')
      expect([shape, other ?? shape]).toContainEqual(Object.keys(reply ?? {}).toSorted())
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: false })
  // Else it would show only that everything is refused, or that nothing is.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(runs / 20)
  expect(statuses.get(400) ?? 0).toBeGreaterThan(runs / 20)
})

/** A backend that keeps its contract: what has to be JSON is. */
const scripted = scriptedExecutor(({ want, schema }) => {
  if (want === 'results') return found(3)
  return schema ? [{ type: 'text-delta', text: '{"answer":"bees"}' }, ...answered.slice(-1)] : answered
})

/** What the fields of an error are called on each path. */
async function errorShapes({ request: send }: TestApp): Promise<ReadonlyMap<string, readonly string[]>> {
  const shapes = await Promise.all(
    whole.map(async ({ path }) => {
      const reply: object = await (await send(path, { method: 'POST', body: '{' })).json()
      return [path, Object.keys(reply).toSorted()] as const
    }),
  )
  return new Map(shapes)
}

function changed(
  body: unknown,
  { steps, act, value }: { steps: readonly number[]; act: string; value: unknown },
): unknown {
  let at = body
  let step = 0
  for (; step < steps.length - 1; step++) {
    const inner = childOf(at, steps[step] ?? 0)
    if (typeof inner !== 'object' || inner === null) break
    at = inner
  }
  if (typeof at !== 'object' || at === null) return structuredClone(value)
  const names = Object.keys(at)
  const name = names[(steps[step] ?? 0) % (names.length || 1)] ?? 'a'
  if (act === 'delete') Reflect.deleteProperty(at, name)
  else if (act === 'twice') Reflect.set(at, name, [Reflect.get(at, name), Reflect.get(at, name)])
  else if (act === 'rename') Reflect.set(at, `${name}_`, Reflect.get(at, name))
  // The value is the arbitrary's own, and a later change may go into it.
  else Reflect.set(at, act === 'add' ? 'more' : name, structuredClone(value))
  return body
}

function childOf(at: unknown, step: number): unknown {
  if (typeof at !== 'object' || at === null) return undefined
  const names = Object.keys(at)
  return Reflect.get(at, names[step % (names.length || 1)] ?? '')
}

/** Less what no header can hold. */
function headersOf(pairs: readonly (readonly [name: string, value: string])[]): Headers {
  const headers = new Headers()
  for (const [name, value] of pairs) {
    try {
      headers.set(name, value)
    } catch {}
  }
  return headers
}
