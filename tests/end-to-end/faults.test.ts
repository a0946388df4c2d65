import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { ScenarioRule } from '../../src/sandbox/scenario.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { processesNaming } from '../support/processes.ts'
import { startSandbox } from '../support/sandbox.ts'

// What goes wrong behind csp, as its clients see it: over HTTP, on the real CLI.

setDefaultTimeout(240_000)
const standIn = startSandbox()
const csp: CspProcess = await startCsp({ standInUrl: standIn.url, flags: ['--rate', '0', '--cache-ttl', '0'] })

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
  // One for each thing that can be killed: a list, the search of an answer, the agent.
  const killed = requests.filter(([name]) => ['Brave', 'Sonar', 'OpenAI, deep and streamed'].includes(name))
  expect(killed).toHaveLength(3)
  for (const [name, send] of killed) {
    const searching = name.includes('deep') ? ' --print' : ' mcp serve'
    let response = await sendAndKill(send, searching)
    // After ten seconds csp starts a stream with 200. A loaded machine may need longer than that to start the CLIs again.
    for (let attempt = 1; attempt < 3 && isLateStream(response); attempt++) {
      expect(await response.text()).toContain('error')
      await expectWorks(requests.slice(0, 1))
      response = await sendAndKill(send, searching)
    }
    if (isLateStream(response)) {
      expect(await response.text()).toContain('error')
    } else {
      expect([name, response.status]).toEqual([name, 503])
      expect(await response.json()).toHaveProperty('error')
    }
    await expectWorks(requests.slice(0, 1))
  }
  await expectWorks()
})

async function sendAndKill(send: () => Promise<Response>, searching: string): Promise<Response> {
  standIn.sandbox.configure({ scenario: 'hang' })
  const asked = send()
  await standIn.sandbox.until(({ open }) => open > 0)
  // csp tries once more on a new process, and the direct engine does: those are killed as well.
  const again = new AbortController()
  const killing = killEach(searching, again.signal)
  const response = await asked
  // A stream that has begun ends with its error only when its CLIs are killed to the end.
  if (isLateStream(response)) await response.clone().text()
  again.abort()
  await killing
  return response
}

function isLateStream(response: Response): boolean {
  return response.status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream') === true
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

test('when csp is told to stop, nothing of it is left', async () => {
  const other = await startCsp({ standInUrl: standIn.url, flags: ['--rate', '0'] })
  const reply = await fetch(`${other.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sonar-pro', messages: [{ role: 'user', content: 'bees' }] }),
  })
  expect(reply.status).toBe(200)
  expect(processesNaming(other.home)).not.toEqual([])
  await other.stop()
  expect(processesNaming(other.home)).toEqual([])
})

function leaving(): readonly (readonly [string, (signal: AbortSignal) => Promise<Response>])[] {
  const send = (path: string, body: unknown) => (signal: AbortSignal) =>
    fetch(`${csp.url}${path}`, { method: 'POST', body: JSON.stringify(body), signal })
  const messages = [{ role: 'user', content: 'bees' }]
  return [
    ['results', send('/search', { query: 'bees' })],
    ['standard', send('/chat/completions', { model: 'sonar-pro', messages })],
    ['deep, streamed', send('/chat/completions', { model: 'sonar-deep-research', messages, stream: true })],
  ]
}

/** Kills the CLIs with this argument whenever one has a request at the stand-in, until the signal aborts. */
async function killEach(argument: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (standIn.sandbox.stats().open > 0) {
      for (const pid of cliProcesses(argument)) kill(pid)
      // Those that are started in their place live until they have a request too.
      await standIn.sandbox.until(({ open }) => open === 0)
    }
    await Bun.sleep(20)
  }
}

function cliProcesses(argument: string): readonly number[] {
  return processesNaming(csp.home)
    .filter(({ command }) => command.includes(argument))
    .map(({ pid }) => pid)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself meanwhile.
  }
}
