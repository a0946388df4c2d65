// Starts processes.
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-login-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A CLI that is signed out until `auth login`, in a place that no PATH leads to. */
async function cspLogin(login: string, args: readonly string[] = [], tokenCode = 0, isTerminal = true) {
  const home = mkdtempSync(join(scratch, 'home '))
  const cli = join(home, 'claude')
  writeFileSync(
    cli,
    `#!/bin/sh
case "$*" in
  --version) echo '2.1.328 (Claude Code)';;
  'auth login') ${login};;
  setup-token) touch "$HOME/made"; exit ${tokenCode};;
  *'auth status') if [ -e "$HOME/in" ]; then echo '{"loggedIn":true,"authMethod":"claude.ai"}'; else echo '{"loggedIn":false}'; exit 1; fi;;
esac
`,
  )
  chmodSync(cli, 0o755)
  const environment = { HOME: home, PATH: '/usr/bin:/bin', CSP_CLAUDE_BIN: cli }
  const shell = testShell({ environment, directory: home, isTerminal })
  const again = () => main(['login', ...args], shell)
  return {
    code: await again(),
    again,
    isIn: existsSync(join(home, 'in')),
    made: existsSync(join(home, 'made')),
    printed: shell.printed,
    complaints: shell.complaints,
  }
}

test('csp login has the CLI that csp uses sign in', async () => {
  const { code, isIn, again, printed } = await cspLogin('touch "$HOME/in"')
  expect([code, isIn]).toEqual([0, true])
  expect(await again()).toBe(0)
  expect(printed()).toContain('Signed in already (claude.ai)')
})

test('csp login says how to sign in where no browser is', async () => {
  const { printed } = await cspLogin('exit 1')
  expect(printed()).toContain('Open the link on any device')
})

test('csp login --token has the CLI make a token, which csp neither reads nor keeps', async () => {
  const { code, isIn, made, printed } = await cspLogin('exit 1', ['--token'])
  expect([code, isIn, made]).toEqual([0, false, true])
  expect(printed()).toContain('CLAUDE_CODE_OAUTH_TOKEN=')
  expect((await cspLogin('exit 1', ['--token'], 1)).code).toBe(3)
})

test('csp login --token says that it needs a terminal: the CLI would wait for one in silence', async () => {
  const { code, made, complaints } = await cspLogin('exit 1', ['--token'], 0, false)
  expect([code, made, complaints()]).toEqual([3, false, expect.stringContaining('only in a terminal')])
})

test('csp login says with its exit code that nobody has signed in', async () => {
  expect(await cspLogin('exit 1')).toMatchObject({ code: 3, isIn: false })
})
