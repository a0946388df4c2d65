import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { main } from '../../../src/runtime/cli/main.ts'
import { scratchHome } from '../../support/real-claude.ts'
import { testShell } from '../test-shell.ts'

// A gateway alone has a model elsewhere, and no CLI or one that nobody has signed in: nothing of csp calls that a fault.

const upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ data: [{ id: 'm' }] }) })
const home = await scratchHome()
afterAll(async () => {
  await upstream.stop(true)
  await home[Symbol.asyncDispose]()
})

const environment = {
  ...{ HOME: home.path, PATH: '/nowhere', CSP_CLAUDE_BIN: '/nowhere/claude', CSP_MEMORY: 'off' },
  ...{ OPENAI_BASE_URL: `http://127.0.0.1:${upstream.port}/v1`, ANTHROPIC_DEFAULT_SONNET_MODEL: 'm' },
}
const shellWith = (more: Readonly<Record<string, string>> = {}) =>
  testShell({ directory: home.path, environment: { ...environment, ...more } })

test('csp doctor finds no fault, unless there is no gateway', async () => {
  const alone = shellWith()
  expect(await main(['doctor', '--port', '0'], alone)).toBe(0)
  expect(alone.printed()).not.toMatch(/^fail /m)
  expect(await main(['doctor', '--port', '0'], shellWith({ OPENAI_BASE_URL: '' }))).toBe(3)
  // Whoever names other backends as well has searches in mind.
  expect(await main(['doctor', '--port', '0', '--backends', 'claude,parallel-free'], shellWith())).toBe(3)
})

test('csp serve, /health and csp status are fine', async () => {
  const shell = shellWith()
  const ended = main(['serve', '--port', '0'], shell)
  await shell.says('listening on')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(shell.complaints())?.[0] ?? ''
  const reply = await fetch(`${url}/health`)
  expect(reply.status).toBe(200)
  const { status, rows } = await reply.json()
  expect(status).toBe('ok')
  expect(rows.map(({ level }: { level: string }) => level)).not.toContain('bad')
  expect((await fetch(`${url}/v1/search?q=seals`)).status).toBe(503)
  const listed = await (await fetch(`${url}/v1/models`)).json()
  expect(listed.models.map(({ slug }: { slug: string }) => slug)).toEqual(['local/m'])
  expect(listed.data.map(({ owned_by }: { owned_by: string }) => owned_by)).not.toContain('claude-search-proxy')
  expect(listed.data.map(({ display_name }: { display_name: string }) => display_name)).toContain('local/m')
  const google = { headers: { 'x-goog-api-key': 'k' } }
  expect(await (await fetch(`${url}/v1/models`, google)).json()).toEqual({ models: [] })
  const named = shellWith()
  expect(await main(['status', '--models'], named)).toBe(0)
  expect(named.printed()).toContain('local/*')
  expect(named.printed()).not.toContain('sonar')
  const asking = shellWith()
  expect(await main(['status', url], asking)).toBe(0)
  expect(asking.printed()).toContain(': ok.')
  expect(asking.printed()).not.toMatch(/claude/i)
  shell.send('SIGTERM')
  expect(await ended).toBe(0)
  expect(shell.complaints()).not.toMatch(/ warning (?!GET)/)
})

/** A CLI that leaves a mark when somebody starts it. */
function installedCli(): { readonly path: string; readonly mark: string } {
  const [path, mark] = [join(home.path, 'claude'), join(home.path, 'started')]
  writeFileSync(path, `#!/bin/sh\necho "$@" >> '${mark}'\nexit 1\n`)
  chmodSync(path, 0o755)
  return { path, mark }
}

test('a CLI that nobody has signed in is not started, and not spoken of', async () => {
  const cli = installedCli()
  const own = { CSP_CLAUDE_BIN: cli.path, PATH: '/usr/bin:/bin' }
  const shell = testShell({ directory: home.path, environment: { ...environment, ...own }, isTerminal: true })
  const ended = main(['serve', '--port', '0'], shell)
  const printed = () => shell.printed() + shell.complaints()
  await eventually(() => /http:\/\/127\.0\.0\.1:\d+/.test(printed()))
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed())?.[0] ?? ''
  const health = await (await fetch(`${url}/health`)).text()
  expect(JSON.parse(health)).toMatchObject({ status: 'ok', gateway_ready: true })
  const search = await fetch(`${url}/v1/search?q=seals`)
  expect(search.status).toBe(503)
  const told = await search.text()
  expect(told.indexOf('parallel-free')).toBeGreaterThan(0)
  expect(told.indexOf('csp login')).toBeGreaterThan(told.indexOf('parallel-free'))
  const checked = shellWith(own)
  expect(await main(['doctor', '--port', '0'], checked)).toBe(0)
  // The folder of the scratch home and the program may be named so.
  const said = [printed(), health, checked.printed()].map((text) => text.replaceAll(home.path, ''))
  for (const text of said) expect(text).not.toMatch(/claude|signed|sign in/i)
  shell.send('SIGTERM')
  expect(await ended).toBe(0)
  expect(existsSync(cli.mark)).toBe(false)
})

test.each([
  ['signed in', () => writeFileSync(join(home.path, '.claude/.credentials.json'), '{}'), {}],
  ['given a token', () => {}, { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-x' }],
  ['named as a writer', () => {}, { CSP_WRITERS: 'claude' }],
  ['paid by a key', () => {}, { CSP_AUTH: 'api-key', ANTHROPIC_API_KEY: 'sk-ant-api03-x' }],
])('a CLI that is %s is checked', async (_name, prepare, more) => {
  const cli = installedCli()
  mkdirSync(join(home.path, '.claude'), { recursive: true })
  prepare()
  try {
    await main(['doctor', '--port', '0'], shellWith({ CSP_CLAUDE_BIN: cli.path, PATH: '/usr/bin:/bin', ...more }))
    expect(existsSync(cli.mark)).toBe(true)
  } finally {
    for (const file of [cli.mark, join(home.path, '.claude/.credentials.json')]) rmSync(file, { force: true })
  }
})
