import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '@csp/lib/json'
import { eventually } from '@csp/testing/eventually'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import type { Executor } from '../../src/executor/executor.ts'
import type { BackgroundJobs } from '../../src/jobs/background-jobs.ts'
import { testApp } from '../api/test-app.ts'
import { testJobs } from '../support/job-database.ts'
import { keepReceiptsIn, stackOver, writer } from './letter-answers.ts'
import { textsIn } from './reply-texts.ts'

// What a model writes, and what evidence quotes of it and of a page, is as dead in the replies and streams of jobs.

const folder = mkdtempSync(join(tmpdir(), 'csp-job-texts-'))
keepReceiptsIn(folder)
const hostile = Object.values(hostileMarkdown).filter((text) => text.length < 500)
/** Each text in an answer of its own would take minutes; each ends a sentence with a marker, and stands on the page. */
const batches = Array.from({ length: 6 }, (_, part) => hostile.filter((_, place) => place % 6 === part))

let written = ''
let jobs: BackgroundJobs
let app: ReturnType<typeof testApp>

beforeAll(() => {
  const backend: Executor = {
    ...{ name: 'scripted', health: async () => ({ ready: true, backends: [] }), close: async () => {} },
    search: (request, context) =>
      stackOver(writer({ text: written, piece: 7 }), written.replaceAll(' [1]', '')).search(request, context),
  }
  jobs = testJobs(backend, { limits: { all: 9, each: 9 } })
  app = testApp(Object.assign(backend, { requests: [] }) as never, { jobs })
})
afterAll(async () => {
  await jobs.close()
  rmSync(folder, { recursive: true })
})

async function ask(path: string, body?: object): Promise<string> {
  const reply = await app.request(path, body && { method: 'POST', body: JSON.stringify(body) })
  return reply.text()
}

/** csp's own name of the job that was made last. */
async function newestJob(): Promise<string> {
  return (await (await app.request('/v1/jobs')).json()).data[0].id
}

const input = 'What do seals do?'
const messages = [{ role: 'user', content: input }]

/** How each vendor is asked, and where its replies are read. */
const vendors = [
  {
    path: '/v1/responses',
    body: { model: 'sonnet', input, background: true, tools: [{ type: 'web_search' }] },
    read: ['/v1/responses/ID', '/v1/responses/ID?stream=true'],
  },
  {
    path: '/async/chat/completions',
    body: { request: { model: 'sonar-pro', messages } },
    read: ['/async/chat/completions/ID', '/async/chat/completions'],
  },
  { path: '/tavily/research', body: { input, model: 'mini' }, read: ['/tavily/research/ID'] },
  {
    path: '/parallel/v1/tasks/runs',
    body: { input, processor: 'base', enable_events: true },
    read: ['ID', 'ID/result', 'ID/events'].map((end) => `/parallel/v1/tasks/runs/${end}`),
  },
] as const

/** Addresses of the sources alone are no text. */
const ofSource = / https:\/\/(?:seals|more)\.example\/(?:a|favicon\.ico)?$/

function expectDead(reply: string): void {
  for (const [place, text] of textsIn(reply))
    expect([place, ...liveMarkup(text).filter((line) => !ofSource.test(line))]).toEqual([place])
}

describe.each(vendors)('a job at $path', ({ path, body, read }) => {
  test.each(batches.map((texts, part) => ({ texts, part })))('has all texts of part $part dead', async ({ texts }) => {
    written = texts.map((text) => `Seals bark at night: ${text} [1].`).join('\n\n')
    const created: unknown = JSON.parse(await ask(path, body))
    const { id, run_id, request_id } = isObject(created) ? created : {}
    const name = String(id ?? run_id ?? request_id)
    const places = read.map((one) => one.replace('ID', name))
    let reply = ''
    await eventually(async () => {
      reply = await ask(places[0] ?? '')
      return /"status":\s*"(?:completed|failed)"/i.test(reply)
    })
    for (const place of [...places, '/v1/jobs', `/v1/jobs/${await newestJob()}`]) expectDead(await ask(place))
    const longest = Math.max(
      ...[...textsIn(await ask(places[path.startsWith('/parallel') ? 1 : 0] ?? '')).values()].map(
        (text) => text.length,
      ),
    )
    expect(longest).toBeGreaterThan(written.length / 2)
  })
})

test('a stream of Tavily has them dead while it is followed', async () => {
  written = batches
    .flat()
    .map((text) => `Seals bark: ${text} [1].`)
    .join('\n\n')
  const reply = await ask('/tavily/research', { input, model: 'mini', stream: true })
  expect(reply.length).toBeGreaterThan(written.length)
  expectDead(reply)
})
