import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import type { ScenarioRule } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, oneSearchServer, startCsp } from '../support/csp-process.ts'
import { processesNaming } from '../support/processes.ts'

// What goes wrong behind csp, as its clients see it: over HTTP.

setDefaultTimeout(240_000)
const standIn = startSandbox()
// Half as many have to be started after a fault.
const flags = ['--rate', '0', '--cache-ttl', '0', ...oneSearchServer]
const csp: CspProcess = await startCsp({ standInUrl: standIn.url, flags })

afterAll(async () => {
  await csp.stop()
  await standIn.stop()
})

beforeEach(() => standIn.sandbox.configure({ scenario: 'ok' }))

const post = (path: string, body: unknown) => fetch(`${csp.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
const chat = (path: string, model: string, content: string, more: object = {}) =>
  post(path, { model, messages: [{ role: 'user', content }], ...more })

type Request = readonly [name: string, send: () => Promise<Response>]

/** One request for each envelope and each strategy; no two ask for the same, so that none waits for another's answer. */
const requests: readonly Request[] = [
  ['Brave', () => fetch(`${csp.url}/res/v1/web/search?q=bees`)],
  ['Perplexity search', () => post('/search', { query: 'terns' })],
  ['Sonar', () => chat('/chat/completions', 'sonar', 'seals')],
  ['OpenAI', () => chat('/v1/chat/completions', 'sonnet', 'herring')],
  ['OpenAI, deep and streamed', () => chat('/v1/chat/completions', 'sonar-reasoning-pro', 'wombats', { stream: true })],
]

/** The status and the text of each reply, by the name of its request. */
async function repliesTo(scenario: ScenarioRule['scenario'], which: readonly Request[]): Promise<Replies> {
  standIn.sandbox.configure({ scenario })
  const replies = await Promise.all(
    which.map(async ([name, send]) => {
      const response = await send()
      return [name, [response.status, await response.text()]] as const
    }),
  )
  return new Map(replies)
}

type Replies = ReadonlyMap<string, readonly [status: number, text: string]>

async function expectWorks(which = requests): Promise<void> {
  for (const [, reply] of await repliesTo('ok', which)) expect(reply).toEqual([200, expect.stringContaining('andbox')])
}

const faults: readonly (readonly [name: string, scenario: ScenarioRule['scenario'], status: number])[] = [
  ['the login is refused', 'error-401', 503],
  ['the account is refused', 'error-403', 503],
  ['the API breaks', 'error-500', 503],
  ['the API is overloaded', 'error-529', 503],
  ['the search tool is down', 'search-unavailable', 503],
  ['the model never searches', 'no-search', 502],
]

describe.each(faults)('when %s', (_name, scenario, status) => {
  const failed = new Map<string, readonly [number, string]>()
  const next = new Map<string, readonly [number, string]>()

  // Some at a time, so that a CLI that csp gives up serves them all; not all, which would open the circuit breaker.
  beforeAll(async () => {
    for (const some of [requests.slice(0, 3), requests.slice(3)]) {
      for (const [name, reply] of await repliesTo(scenario, some)) failed.set(name, reply)
      for (const [name, reply] of await repliesTo('ok', some)) next.set(name, reply)
    }
  })

  test.each(requests)('a client of %s learns it in its own words, and its next search works', (name) => {
    const [failure, text = ''] = failed.get(name) ?? []
    expect(failure).toBe(status)
    expect(JSON.parse(text).error.code).toBeTruthy()
    expect(next.get(name)).toEqual([200, expect.stringContaining('andbox')])
  })
})

test('a CLI that is killed in the middle of every search costs an error, and the next search works', async () => {
  // One for each thing that can be killed: a list, an answer in one call, one of several searches.
  const killed = requests.filter(([name]) => ['Brave', 'Sonar', 'OpenAI, deep and streamed'].includes(name))
  expect(killed).toHaveLength(3)
  for (const [name, { status, type, text }] of await sendAndKill(killed)) {
    if (status === 200) {
      // After ten seconds csp starts a stream. A loaded machine may need longer than that to start the CLIs again.
      expect([name, type]).toEqual(['OpenAI, deep and streamed', expect.stringMatching(/^text\/event-stream/)])
      expect(text).toContain('error')
    } else {
      expect([name, status]).toEqual([name, 503])
      expect(JSON.parse(text)).toHaveProperty('error')
    }
  }
  await expectWorks()
})

interface Killed {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

/** The replies to requests whose CLIs are killed whenever all of them search, until each has been replied to. */
async function sendAndKill(which: readonly Request[]): Promise<ReadonlyMap<string, Killed>> {
  standIn.sandbox.configure({ scenario: 'hang' })
  const replies = new Map<string, Killed>()
  const asked = which.map(async ([name, send]) => {
    const response = await send()
    const type = response.headers.get('content-type')
    replies.set(name, { status: response.status, type, text: await response.text() })
  })
  // csp tries once more on a new process, and the direct engine does: those are killed as well.
  const searching = / mcp serve| --tools=/
  const searchers = () => processesNaming(csp.home).filter(({ command }) => searching.test(command))
  const left = () => which.length - replies.size
  while (left() > 0) {
    await eventually(() => standIn.sandbox.stats().open >= left(), 120_000)
    // Again and again: one that has two calls open can let the others be killed before they have begun.
    await eventually(() => {
      if (left() > 0) for (const { pid } of searchers()) kill(pid)
      return standIn.sandbox.stats().open === 0
    }, 120_000)
  }
  await Promise.all(asked)
  return replies
}

test('a client that leaves stops the search behind it', async () => {
  for (const [, send] of leaving()) {
    standIn.sandbox.configure({ scenario: 'hang' })
    const leave = new AbortController()
    const asked = send(leave.signal).catch((error: unknown) => error)
    await standIn.sandbox.until(({ open }) => open > 0)
    leave.abort()
    await asked
    await standIn.sandbox.until(({ open }) => open === 0)
  }
  await expectWorks()
})

// The last of all: it ends the csp that they share.
test('when csp is told to stop, nothing of it is left', async () => {
  const reply = await chat('/chat/completions', 'sonar-pro', 'bees')
  expect(reply.status).toBe(200)
  expect(processesNaming(csp.home)).not.toEqual([])
  await csp.stop()
  expect(processesNaming(csp.home)).toEqual([])
})

function leaving(): readonly (readonly [string, (signal: AbortSignal) => Promise<Response>])[] {
  const send = (path: string, body: unknown) => (signal: AbortSignal) =>
    fetch(`${csp.url}${path}`, { method: 'POST', body: JSON.stringify(body), signal })
  const messages = [{ role: 'user', content: 'bees' }]
  return [
    ['results', send('/search', { query: 'bees' })],
    ['standard', send('/chat/completions', { model: 'sonar-pro', messages })],
    ['deep, streamed', send('/chat/completions', { model: 'sonar-reasoning', messages, stream: true })],
  ]
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself meanwhile.
  }
}
