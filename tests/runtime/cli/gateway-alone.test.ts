import { afterAll, expect, test } from 'bun:test'
import { main } from '../../../src/runtime/cli/main.ts'
import { scratchHome } from '../../support/real-claude.ts'
import { testShell } from '../test-shell.ts'

// A gateway alone has a model elsewhere and no CLI: nothing of csp calls that a fault.

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
  const asking = shellWith()
  expect(await main(['status', url], asking)).toBe(0)
  expect(asking.printed()).toContain(': ok.')
  expect(asking.printed()).not.toContain('not installed')
  shell.send('SIGTERM')
  expect(await ended).toBe(0)
  expect(shell.complaints()).not.toMatch(/ warning (?!GET)/)
})
