import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../../../packages/sandbox/test/support/sandbox.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { oneSearchServer } from '../../../support/csp-process.ts'
import { oddClaude } from '../../../support/odd-claude.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { testShell } from '../../test-shell.ts'

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
})
afterAll(() => home[Symbol.asyncDispose]())

/** A server in this process, and how it ends. */
async function serving(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  isTerminal = false,
) {
  const shell = testShell({
    directory: home.path,
    isTerminal,
    environment: {
      ...claudeEnvironment('http://127.0.0.1:9', home.path),
      CSP_CLAUDE_BIN: standInClaude(),
      ...environment,
    },
  })
  const ended = main(['serve', '--port', '0', ...args], shell)
  const said = () => `${shell.printed()}\n${shell.complaints()}`
  await shell.says('http://127.0.0.1:')
  return { shell, ended, said, url: /http:\/\/127\.0\.0\.1:\d+/.exec(said())?.[0] ?? '' }
}

/** What searches does not matter to these tests: the sandbox, and no CLI. */
const invented = ['--sandbox', '--backends', 'messages']

test('csp serve answers, logs no query and stops on SIGTERM', async () => {
  const { shell, ended, url } = await serving([...invented, '--rate', '0'])
  const response = await fetch(`${url}/v1/search?q=harbour+seals`)
  expect(response.status).toBe(200)
  expect((await response.json()).total_results).toBeGreaterThan(0)
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
  shell.send('SIGTERM')
  expect(await ended).toBe(0)
  const log = shell.complaints()
  expect(log).toMatch(/ info GET \/v1\/search 200 \d+ms cache=miss id=[0-9a-f-]{36}$/m)
  expect(log).toContain('SANDBOX')
  expect(log).not.toContain('harbour')
  expect(shell.printed()).toBe('')
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a stop by %s while the CLI starts logs no warning about the processes that csp ends',
  async (signal) => {
    const started = join(home.path, `started-${signal}`)
    const slow = oddClaude(
      home.path,
      `[ "$1" = --print ] && { touch '${started}'; exec sleep 60; }\nexec "$claude" "$@"`,
    )
    await using sandbox = startSandbox()
    const environment = { CSP_CLAUDE_BIN: slow, ANTHROPIC_BASE_URL: sandbox.url, CSP_WARM_UP: 'on' }
    const { shell, ended } = await serving([], environment)
    await eventually(() => existsSync(started))
    shell.send(signal)
    expect(await ended).toBe(0)
    expect(shell.complaints()).toContain(`stopping on ${signal}`)
    expect(shell.complaints()).not.toMatch(/ (warning|error) /)
  },
)

test('csp serve shows its address, an example call and the login on a terminal', async () => {
  const { shell, ended, url } = await serving(['--sandbox', '--log-level', 'silent'], {}, true)
  await shell.says('signed in')
  shell.send('SIGINT')
  expect(await ended).toBe(0)
  expect(shell.printed()).toContain(`curl '${url}/v1/search?q=hello+world'`)
  expect(shell.printed()).toContain('SANDBOX')
  expect(shell.printed()).toContain('config.json (no such file')
  expect(shell.complaints()).toBe('')
})

test('csp serve finishes a running search before it stops and leaves no temporary file', async () => {
  await using sandbox = startSandbox({ thinkMs: 500 })
  const scratch = join(home.path, 'scratch')
  mkdirSync(scratch)
  const { shell, ended, url } = await serving(['--cache-ttl', '0'], {
    ANTHROPIC_BASE_URL: sandbox.url,
    TMPDIR: scratch,
  })
  const reply = fetch(`${url}/v1/search?q=harbour+seals`)
  await sandbox.sandbox.until(({ open }) => open > 0)
  shell.send('SIGINT')
  expect((await reply).status).toBe(200)
  expect(await ended).toBe(0)
  // The CLI has folders of its own there, which it shares with every other.
  expect(readdirSync(scratch).filter((name) => name.startsWith('csp-'))).toEqual([])
})

test('csp serve answers searches that it cannot finish with a 503 or an error event when it stops', async () => {
  await using sandbox = startSandbox()
  sandbox.sandbox.configure({ scenario: 'hang' })
  const { shell, ended, url } = await serving(oneSearchServer, { ANTHROPIC_BASE_URL: sandbox.url })
  const messages = [{ role: 'user', content: 'harbour seals' }]
  const streamed = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sonar', stream: true, messages }),
  })
  const whole = fetch(`${url}/v1/search?q=harbour+seals`)
  await sandbox.sandbox.until(({ open }) => open > 1)
  const stream = await streamed // it has its status now, and no more than that
  shell.send('SIGTERM')
  const reply = await whole
  expect(reply.status).toBe(503)
  expect(await reply.json()).toHaveProperty('error')
  const text = await stream.text()
  expect(text).toMatch(/data: \{"error":/)
  expect(text).not.toContain('[DONE]')
  expect(await ended).toBe(0)
})

test('csp serve requires its keys and does not log them', async () => {
  const { shell, ended, url } = await serving([...invented, '--log-level', 'debug'], {
    CSP_API_KEYS: 'key-one,key-two',
  })
  expect((await fetch(`${url}/v1/search?q=harbour+seals`)).status).toBe(401)
  const headers = { authorization: 'Bearer key-two' }
  expect((await fetch(`${url}/v1/search?q=harbour+seals`, { headers })).status).toBe(200)
  shell.send('SIGTERM')
  await ended
  expect(shell.complaints()).not.toContain('key-two')
})

test('csp serve requires a named key as well, and logs neither the key nor its hash', async () => {
  const environment = { XDG_CONFIG_HOME: join(home.path, 'named') }
  const terminal = testShell({ directory: home.path, environment: { HOME: home.path, ...environment } })
  await main(['keys', 'add', 'phone'], terminal)
  const key = terminal.printed().trim()
  const { shell, ended, url } = await serving([...invented, '--log-level', 'debug'], environment)
  const search = (given: string) => fetch(`${url}/v1/search?q=harbour+seals`, { headers: { 'x-api-key': given } })
  expect((await search('csp_wrong')).status).toBe(401)
  expect((await search(key)).status).toBe(200)
  shell.send('SIGTERM')
  await ended
  const kept: { keys: { sha256: string }[] } = await Bun.file(join(home.path, 'named/csp/keys.json')).json()
  expect(kept.keys).toHaveLength(1)
  for (const secret of [key.slice(4), kept.keys[0]?.sha256 ?? '']) expect(shell.complaints()).not.toContain(secret)
})

test('csp serve ends with 1 on a port in use and says what to do', async () => {
  await using taken = startSandbox()
  const port = new URL(taken.url).port
  const shell = testShell({ directory: home.path, environment: { HOME: home.path } })
  expect(await main(['serve', '--port', port], shell)).toBe(1)
  expect(shell.complaints()).toContain(`Port ${port} is in use by another program`)
})
