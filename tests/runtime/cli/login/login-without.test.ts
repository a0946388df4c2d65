import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-login-without-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** What `csp login` says where the CLI is this script, or none. */
async function cspLogin(
  script: string | undefined,
  variables: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const cli = join(home, 'claude')
  if (script !== undefined) writeFileSync(cli, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  // On PATH, or where it is named.
  const place = args.length > 0 ? { PATH: `${home}:/usr/bin:/bin` } : { PATH: '/usr/bin:/bin', CSP_CLAUDE_BIN: cli }
  const shell = testShell({ environment: { HOME: home, ...place, ...variables }, directory: home })
  const code = await main(['login', ...args], shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

test('csp login has nothing to do on the sandbox', async () => {
  const { code, printed } = await cspLogin('touch "$HOME/asked"', { CSP_SANDBOX: 'on' })
  expect([code, printed]).toEqual([0, expect.stringContaining('sandbox')])
})

test.each([
  ['is missing', undefined, /is not a program/],
  ['is something else', 'echo hello', /does not run as the Claude Code CLI/],
])('csp login ends where the CLI %s, and says why', async (_name, script, words) => {
  const { code, complaints } = await cspLogin(script)
  expect([code, complaints]).toEqual([3, expect.stringMatching(words)])
})

test.each(['2.1.328', '1.0.0'])('csp login says when the CLI is still signed out, version %s', async (version) => {
  const { code, printed } = await cspLogin(`case "$*" in --version) echo ${version};; *) exit 1;; esac`)
  expect([code, printed]).toEqual([3, expect.stringContaining('Still signed out.')])
})

test('csp login fetches no CLI where one is found', async () => {
  const { code, printed } = await cspLogin('case "$*" in --version) echo 2.1.328;; *) exit 1;; esac', {}, ['--yes'])
  expect([code, printed]).toEqual([3, expect.not.stringContaining('Fetch')])
})
