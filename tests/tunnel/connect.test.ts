import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../support/real-claude.ts'
import { Homes } from './support/connect-process.ts'
import { type Edge, secret, startEdge } from './support/edge.ts'

let edge: Edge
let home: ScratchHome
let homes: Homes
beforeAll(async () => {
  edge = await startEdge()
  home = await scratchHome()
  const instructions = join(home.path, 'style.md')
  writeFileSync(instructions, 'Use nautical miles.')
  homes = new Homes(edge, { CSP_INSTRUCTIONS: instructions })
})
afterAll(async () => {
  await homes[Symbol.asyncDispose]()
  await edge.dispose()
  await home[Symbol.asyncDispose]()
})

function chat(signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({
    model: 'sonar-pro',
    stream: true,
    messages: [{ role: 'user', content: 'harbour seals' }],
  })
  const init = { method: 'POST', body, ...(signal && { signal }) }
  return fetch(`${edge.url}/v1/chat/completions`, init)
}

const hello = { role: 'user', content: 'How far is it?' }

/** With no home. */
async function alone(): Promise<void> {
  await homes.only()
  await eventually(async () => (await edge.status()).homes.length === 0)
}

describe('csp connect', () => {
  test('serves a search and a streamed answer', async () => {
    const [attic] = await homes.only('attic')
    const found = await (await fetch(`${edge.url}/v1/search?q=harbour+seals`)).json()
    expect(found).toMatchObject({ query: 'harbour seals', backend: 'claude' })
    expect(found).toHaveProperty('results.0.url')
    const text = await (await chat()).text()
    expect(text).toContain('"citations":["https://')
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(attic.standIn.sandbox.requests().length).toBeGreaterThanOrEqual(2)
  })

  test('stops the CLI when the caller leaves', async () => {
    const [attic] = await homes.only('attic')
    attic.standIn.sandbox.configure({ scenario: [{ scenario: 'hang-midway', kind: 'write' }] })
    const leaving = new AbortController()
    const response = await chat(leaving.signal)
    await response.body?.getReader().read()
    expect((await edge.status()).homes).toMatchObject([{ running: 1 }])
    leaving.abort()
    await eventually(async () => (await edge.status()).homes[0]?.running === 0)
    await attic.standIn.sandbox.until(({ open }) => open === 0)
  })

  test("adds the operator's instructions to answers with sources and to no plain inference", async () => {
    const [attic] = await homes.only('attic')
    const ask = (model: string) => {
      const body = { model, messages: [{ role: 'system', content: 'You are a pirate.' }, hello] }
      return fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
    }
    const told = () => JSON.stringify(attic.standIn.sandbox.requests())
    for (let count = 0; count < 2; count++) expect((await ask('chat-sonnet')).status).toBe(200)
    expect(told()).toContain('You are a pirate.')
    expect(told()).not.toContain('nautical miles')
    expect((await ask('sonar-pro')).status).toBe(200)
    expect(told()).toContain('Use nautical miles.')
  })

  test('that is frozen is skipped, and after it continues starts no search that it missed', async () => {
    const [attic, cellar] = await homes.only('attic', 'cellar')
    attic.send('SIGSTOP')
    const first = await fetch(`${edge.url}/v1/search?q=harbour+seals`)
    expect(first.status).toBe(200)
    expect(cellar.standIn.sandbox.requests().length).toBeGreaterThan(0)
    expect((await edge.status()).homes).toMatchObject([{ name: 'attic', silent: true }, { name: 'cellar' }])
    attic.send('SIGCONT')
    await eventually(async () => (await edge.status()).homes[0]?.silent === false)
    expect(attic.standIn.sandbox.requests()).toHaveLength(0)
  })

  test('that is killed in the middle of a stream gives the caller an error, and the next caller is served elsewhere', async () => {
    // The one that connected first is asked first.
    const [attic, cellar] = await homes.only('attic', 'cellar')
    attic.standIn.sandbox.configure({ scenario: [{ scenario: 'hang-midway', kind: 'write' }] })
    const response = await chat()
    const reader = response.body?.getReader()
    // Until text has gone out: before that another home would take the request over.
    const decoder = new TextDecoder()
    let begun = ''
    while (!/"content":"[^"]/.test(begun)) begun += decoder.decode((await reader?.read())?.value, { stream: true })
    attic.send('SIGKILL')
    let rest = ''
    for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
      rest += new TextDecoder().decode(step.value)
    }
    expect(rest).toMatch(/data: \{"error":\{"message":"The connection to [^"]+ was lost\./)
    const next = await chat()
    expect(await next.text()).toEndWith('data: [DONE]\n\n')
    expect(cellar.standIn.sandbox.requests().length).toBeGreaterThan(0)
  })

  test('that is asked to stop finishes running searches and accepts no new ones', async () => {
    // The one that the test before has left.
    const [cellar] = await homes.only('cellar')
    const release = cellar.standIn.hold()
    const reply = fetch(`${edge.url}/v1/search?q=harbour+seals`)
    await cellar.standIn.sandbox.until(({ calls }) => calls > 0)
    cellar.send('SIGINT')
    await eventually(async () => (await edge.status()).homes[0]?.draining === true)
    expect((await fetch(`${edge.url}/v1/search?q=grey+seals`)).status).toBe(503)
    release()
    expect((await reply).status).toBe(200)
    expect(await cellar.exited).toBe(0)
  })
})

interface Run {
  readonly code: number
  readonly said: string
}

/** csp in this process, until it ends by itself. */
async function csp(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Run> {
  const shell = shellWith(environment)
  const code = await main(args, shell)
  return { code, said: `${shell.printed()}\n${shell.complaints()}` }
}

function shellWith(environment: Readonly<Record<string, string>>, isTerminal = false) {
  const base = { ...claudeEnvironment('http://127.0.0.1:9', home.path), CSP_CLAUDE_BIN: standInClaude() }
  return testShell({ directory: home.path, isTerminal, environment: { ...base, ...environment } })
}

describe('csp connect reports what is wrong', () => {
  test.each([
    ['no address', ['connect'], {}, 2, 'csp connect https://YOUR-EDGE'],
    ['no secret', ['connect', 'https://edge.example'], {}, 2, 'set CSP_CONNECT_SECRET'],
    ['an address that is none', ['connect', 'edge'], { CSP_CONNECT_SECRET: secret }, 2, 'edge is not an address'],
    ['no encryption', ['connect', 'http://edge.example'], { CSP_CONNECT_SECRET: secret }, 2, 'is not encrypted'],
    ['a short secret', ['connect', 'https://e.example'], { CSP_CONNECT_SECRET: 'short' }, 2, '16 characters or more'],
    ['no such file', ['connect', 'https://e.example'], { CSP_CONNECT_SECRET: '@nope' }, 2, 'Cannot read nope'],
    ['a name that is none', ['connect', 'https://e.example', '--connect-name', 'a b'], {}, 2, '--connect-name must be'],
    ['a secret on the command line', ['connect', 'https://e.example', '--connect-secret', 'x'], {}, 2, 'has no flag'],
  ])('when it is called with %s', async (_, args, environment, code, says) => {
    const run = await csp(args, environment)
    expect(run.said).toContain(says)
    expect(run.code).toBe(code)
  })

  test('when the secret is wrong', async () => {
    const run = await csp(['connect', edge.url], { CSP_CONNECT_SECRET: 'another-secret-of-tests' })
    expect(run.said).toContain(`${edge.url} refuses this home: Invalid login.`)
    expect(run.said).not.toContain('another-secret')
    expect(run.code).toBe(1)
  })

  test('when another home has the same name', async () => {
    await alone()
    writeFileSync(join(home.path, 'secret'), `${secret}\n`)
    const shells = [1, 2].map(() => shellWith({ CSP_CONNECT_SECRET: '@secret' }, true))
    const search = ['--backends', 'searxng', '--searxng-url', 'http://127.0.0.1:9']
    const args = ['connect', edge.url, '--connect-name', 'attic', ...search]
    const [first, second] = shells.map((shell) => ({ shell, ended: main(args, shell) }))
    await first?.shell.says('connected to')
    await second?.shell.says('connected to')
    // Which of the two was first is the edge's to say.
    const { shell, other } = await Promise.race([
      first?.ended.then(() => ({ shell: first.shell, other: second })),
      second?.ended.then(() => ({ shell: second.shell, other: first })),
    ]).then((ended) => ended ?? { shell: undefined, other: undefined })
    expect(shell?.printed()).toContain('Another csp has connected as attic.')
    other?.shell.send('SIGTERM')
    expect(await other?.ended).toBe(0)
  })
})

test('csp serve connects as well and shows the state of the link', async () => {
  await alone()
  const shell = shellWith({ CSP_CONNECT_SECRET: secret })
  const ended = main(
    ['serve', '--sandbox', '--port', '0', '--connect-url', `${edge.url}/`, '--connect-name', 'den'],
    shell,
  )
  await shell.says('round trip to')
  await shell.says('listening on')
  const url = /listening on (http:\/\/[\d.:]+)/.exec(shell.complaints())?.[1] ?? ''
  expect((await fetch(`${edge.url}/v1/search?q=harbour+seals`)).status).toBe(200)
  const health = await (await fetch(`${url}/health`)).json()
  expect(health).toMatchObject({ tunnel: { url: edge.url, home: 'den', connected: true, served: 1, running: 0 } })

  const status = await csp(['status', url])
  expect(status.code).toBe(0)
  expect(status.said).toMatch(/^csp at http:\S+: ok\. .*running for \d+ s\.$/m)
  expect(status.said).toMatch(/^ {2}claude: Ready/m)
  expect(status.said).toMatch(
    /^ {2}Tunnel: Connected to http:\S+ as den, [\d.]+ ms away; 0 running, 1 served\. Connected at .+$/m,
  )
  expect(JSON.parse((await csp(['status', url, '--json'])).said)).toMatchObject({ tunnel: { home: 'den' } })
  expect((await csp(['status', edge.url])).said).toMatch(/^ {4}den: ready, connected since/m)

  shell.send('SIGTERM')
  expect(await ended).toBe(0)
  expect(shell.complaints()).toMatch(/ info POST \/execute 200 \d+ms by tunnel/)
  expect((await csp(['status', url])).said).toContain(`Nothing answers at ${url}.`)
})
