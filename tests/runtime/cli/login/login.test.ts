import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { entry } from '../../../support/tested-program.ts'
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

test.each(['exit 130', 'kill -INT $$'])('csp login ends where Ctrl-C ends the login: %s', async (login) => {
  expect(await cspLogin(login)).toMatchObject({ code: 130, isIn: false })
})

test('Ctrl-C in the login, on a terminal, ends csp init, which leaves everything as it was', async () => {
  const home = mkdtempSync(join(scratch, 'init-'))
  const cli = join(home, 'claude')
  // As the real one does, it takes all keys, Ctrl-C among them.
  const login =
    'touch "$HOME/.claude.json"; stty raw -echo; echo code?; dd bs=1 count=1 >/dev/null 2>&1; stty sane; exit 130'
  writeFileSync(
    cli,
    `#!/bin/sh
case "$*" in
  'auth login') ${login};;
  *'auth status') echo '{"loggedIn":false}'; exit 1;;
  *) exec '${standInClaude()}' "$@";;
esac
`,
  )
  chmodSync(cli, 0o755)
  let shown = ''
  const child = Bun.spawn([process.execPath, entry, 'init', '--serve', 'no', '--no-search'], {
    cwd: home,
    env: { HOME: home, PATH: '/usr/bin:/bin', CSP_CLAUDE_BIN: cli, TMPDIR: tmpdir(), TERM: 'xterm' },
    terminal: {
      data(terminal, bytes) {
        const before = shown
        shown += new TextDecoder().decode(bytes)
        const isNew = (text: string) => shown.includes(text) && !before.includes(text)
        if (isNew('[Y/n/s]')) terminal.write('y\n')
        if (isNew('code?')) terminal.write('\x03')
      },
    },
  })
  expect([await child.exited, shown.includes('code?'), shown.includes('Next')]).toEqual([130, true, false])
  expect(existsSync(join(home, '.claude.json.before-csp'))).toBe(false)
})

test('csp login says with its exit code that nobody has signed in', async () => {
  expect(await cspLogin('exit 1')).toMatchObject({ code: 3, isIn: false })
})
