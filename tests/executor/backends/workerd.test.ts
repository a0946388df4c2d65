import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { startSandbox } from '../../../packages/sandbox/test/support/sandbox.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { workerModules } from '../../support/worker-modules.ts'
import { hang, serveApi } from './http/api-server.ts'
import recorded from './searxng/searx-reply.json' with { type: 'json' }
import type { Task } from './workerd-worker.ts'

// The backends inside real workerd, without node's compatibility: they need fetch and no more.

const worker = new Miniflare({
  modules: await workerModules(join(import.meta.dir, 'workerd-worker.ts')),
  compatibilityDate: '2026-07-30',
  host: '127.0.0.1',
  cf: false,
})
const address = await worker.ready
afterAll(() => worker.dispose())

async function run(task: Task): Promise<unknown> {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify(task) })
  return response.json()
}

test('in workerd, the Messages backend answers with citations', async () => {
  await using running = startSandbox()
  const request = requestFor('seals', { want: 'answer', effort: 'deep', stop: ['never'] })
  expect(await run({ backend: 'messages', url: running.url, request })).toMatchObject({
    text: expect.stringContaining('[1]'),
    citations: expect.arrayContaining([expect.objectContaining({ number: 1 })]),
    reason: 'stop',
  })
})

test('in workerd, the SearXNG backend lists pages', async () => {
  await using server = serveApi(() => Response.json(recorded))
  const reply = await run({ backend: 'searxng', url: server.url, request: requestFor('seals') })
  expect(reply).toMatchObject({ searches: [{ results: [{ title: 'Seals & more' }, {}] }] })
  expect(server.requests[0]?.headers.get('user-agent')).toStartWith('claude-search-proxy/1.2.3 ')
})

test('in workerd, the Brave backend lists pages and sends its key nowhere else', async () => {
  await using server = serveApi(() => Response.json({ type: 'search', web: { results: [{ url: 'https://a.org/' }] } }))
  const reply = await run({ backend: 'brave', url: server.url, request: requestFor('seals') })
  expect(reply).toMatchObject({ searches: [{ results: [{ url: 'https://a.org/' }] }] })

  await using straying = serveApi(() => Response.redirect(`${server.url}/v1/web/search`, 302))
  const failure = await run({ backend: 'brave', url: straying.url, request: requestFor('seals') })
  expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('does not follow') })
  expect(server.requests).toHaveLength(1)
})

test('in workerd, a search that its caller leaves makes no more requests', async () => {
  await using server = serveApi(hang)
  const task = { url: server.url, request: requestFor('seals'), leaveAfterMs: 20 }
  for (const backend of ['messages', 'brave'] as const) {
    expect(await run({ backend, ...task })).toMatchObject({ code: 'cancelled' })
    await server.until(({ open }) => open === 0)
  }
})

test('in workerd, a server that does not exist is unavailable', async () => {
  const server = serveApi(hang)
  await server[Symbol.asyncDispose]()
  const failure = await run({ backend: 'searxng', url: server.url, request: requestFor('seals') })
  expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining('cannot be reached') })
})
