import { expect, test } from 'bun:test'
import { ownEndpoints } from '../../../src/api/own-endpoints.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'
import { scriptedExecutor } from '../../support/scripted-executor.ts'
import { testApp } from '../test-app.ts'

// What the reference of csp's own routes says of them.

const id = '5f0c1e2d3b4a59687786958493a2b1c0'
const start = Date.parse('2026-11-20T10:00:00.000Z')
const request = {
  want: 'answer',
  query: 'how do bees show the way?',
  history: [],
  effort: 'fast',
  filters: {},
} as const
const receipt = {
  ...{ id, owner: 'anonymous', time: '2026-11-20T10:00:00.000Z', question: request.query },
  ...{ model: 'claude-sonnet-4-5', strategy: 'standard', answer: 'Bees dance. [1]' },
  sentences: [{ sentence: 'Bees dance.', start: 0, end: 11, verdict: 'found', score: 1, sources: [1] }],
  sources: [
    { number: 1, url: 'https://example.com/bees', title: 'Bees', passages: ['Bees dance.'], text: 'Bees dance.' },
  ],
}

const job = {
  ...{ id, vendor: 'openai', status: 'completed', createdAt: start, endedAt: start + 125_000, owner: 'anonymous' },
  request: { ...request, research: 'medium' },
}
const jobEvents = [
  ...Array.from({ length: 14 }, () => ({ type: 'research', step: { kind: 'page' } })),
  { type: 'search-results', id: 'a', results: [{ url: 'https://example.com/bees', title: 'Bees', source: 'claude' }] },
  { type: 'text-delta', text: receipt.answer },
  {
    ...{ type: 'done', reason: 'stop', model: receipt.model, evidence: receipt.sentences },
    receipt: { id: 'a3b1c05f0c1e2d3b4a59687786958492', owner: 'anonymous' },
    usage: { searches: 1, inputTokens: 1, outputTokens: 1 },
  },
].map((event, index) => ({ event, run: 1, number: index + 1 }))

/** A csp whose state is that of the examples. */
async function exemplary() {
  let now = start
  const ledger = memoryLedger()
  const spent = { requests: 3, failures: 0, searches: 3, inputTokens: 5520, outputTokens: 288, pages: 20 }
  await ledger.add({ day: '2026-11-20', caller: 'anonymous', backend: 'claude', ...spent })
  const backends = [{ name: 'claude', ready: true, signedIn: true }]
  const searches = scriptedExecutor([], { ready: true, backends, cache: { hits: 1, stale: 0, misses: 3 } })
  const stats = {
    pages: 1200,
    bytes: 9_400_000,
    sites: 310,
    oldest: '2026-10-02T08:00:00Z',
    newest: '2026-11-20T10:00:00Z',
  }
  const parts = {
    jobs: { list: async () => [job], get: async () => job, events: async () => jobEvents, remove: async () => {} },
    receipts: { read: async () => receipt, list: async () => ({ receipts: [receipt] }) },
    memory: { scope: 'all', memory: { stats: async () => stats, forget: async () => 12 } },
    models: { 'sonar-pro': { effort: 'fast' } },
    budget: new Budget({ ledger, now: () => now, elapsed: () => 0, limits: { searchesPerDay: 500 } }),
    executor: {
      ...searches,
      async *search() {
        now += 4200
        yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 } }
      },
    },
  }
  const app = testApp(searches, {
    ...(parts as never as object),
    version: '1.0.0',
    now: () => new Date(now),
    newId: () => '7d3c1f5e',
  })
  return { ...app, pass: (ms: number) => (now += ms) }
}

test('the example of each route is a reply of a csp in that state', async () => {
  const app = await exemplary()
  await app.post('/v1/search', { query: 'bees' })
  const passed = start + 3_600_000 - app.pass(0)
  const compared: string[] = []
  for (const [paths, { method = 'GET', reference }] of ownEndpoints) {
    const path = paths.find((each) => each.startsWith('/v1/')) ?? paths[0] ?? ''
    if (typeof reference.reply === 'string' || path === '/openapi.json' || path.startsWith('/v1beta')) continue
    if (path === '/v1/health') app.pass(passed)
    const address = path.replace(/:id(\{.*\})?$/, /receipts|jobs/.test(path) ? id : 'sonar-pro')
    const asked = method === 'DELETE' ? '?site=example.org' : path === '/v1/usage' ? '?days=1' : ''
    const reply = await app.request(`${address}${asked}`, { method })
    const body = JSON.parse((await reply.text()).replaceAll('T00:00:00.000Z', 'T00:00:00Z'))
    body.requests &&= body.requests.slice(-1)
    body.categories &&= body.categories.slice(0, 1)
    // Times are those of real searches, which a scripted one has not.
    if (path === '/v1/requests') expect(namesIn(body)).toEqual(expect.arrayContaining([...namesIn(reference.reply)]))
    else expect({ path, ...body }).toMatchObject({ path, ...reference.reply })
    compared.push(path)
  }
  expect(compared).toHaveLength(15)
})

test('these routes need no key, and the others do', () => {
  const open = ownEndpoints.filter(([, { reference }]) => reference.isOpen).map(([[path]]) => path)
  expect(open).toEqual([
    ...['/health', '/health/live', '/openapi.json', '/llms.txt', '/page/:name', '/opensearch.xml', '/'],
  ])
})

test('GET /metrics has what counts the requests, in its format, and is not there without', async () => {
  const metrics = { type: 'text/odd', observe() {}, format: async () => 'csp_requests 1' }
  const reply = await testApp(undefined, { metrics }).request('/metrics')
  expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
    ...[200, 'text/odd', 'csp_requests 1'],
  ])
  expect((await testApp(undefined, { metrics }).request('/metrics', { method: 'POST' })).status).toBe(405)
  expect((await testApp().request('/metrics')).status).toBe(404)
})

/** The paths of all fields of a reply. */
function namesIn(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, part]) => [path, ...namesIn(part, `${path}.${name}`)])
}
