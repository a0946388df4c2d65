import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { testNeeding } from './support/needs.ts'

// The script that owners of real machines run, with a csp that notes how it is called and says what must not get out.

const script = join(import.meta.dir, '../scripts/try-here.sh')
const scratch = mkdtempSync(join(tmpdir(), 'csp-try-'))
afterAll(() => rmSync(scratch, { recursive: true }))

function tried(args: readonly string[], { service = 0, before = false } = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  if (before) mkdirSync(join(home, '.config/csp'), { recursive: true })
  const csp = join(home, 'csp')
  writeFileSync(
    csp,
    `#!/bin/sh
echo "$@" >> "$HOME/calls"
echo "csp_${'k'.repeat(43)} sk-ant-oat01-secret jo@mail.example $HOME $(id -un) $(uname -n)"
echo 'https://claude.com/cai/oauth/authorize?state=secret'
case "$1 \${2:-}" in 'start --at-login') exit ${service};; esac
`,
  )
  chmodSync(csp, 0o755)
  const { exitCode, stdout } = Bun.spawnSync(['sh', script, '--csp', csp, ...args], {
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'] },
    stdin: 'ignore',
  })
  const read = (name: string) => (existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : '')
  return { exitCode, said: stdout.toString(), calls: read('calls').trim().split('\n'), report: read('csp-report.txt') }
}

describe('try-here.sh', () => {
  test('goes through all steps, and ends with a report that names them', () => {
    const { calls, report, exitCode } = tried(['--yes'])
    expect(calls).toEqual([
      '--version',
      'login --yes',
      'doctor',
      'doctor --live',
      'start --at-login --port 52489',
      'restart',
      'status',
      'stop --at-login',
      'stop',
      'uninstall --yes',
    ])
    for (const title of ['install', 'login', 'doctor', 'searches', 'at login', 'uninstall'])
      expect(report).toContain(`== ${title}: code 0`)
    // Nothing listens where this csp claims to.
    expect([exitCode, report.includes('steps that failed: 1\n')]).toEqual([1, true])
  })

  test('has no key, account, name or login link in its report', () => {
    const { report } = tried(['--yes'])
    expect(report).toContain('KEY TOKEN MAIL ~ USER HOST\n   LOGIN-LINK\n')
    for (const secret of ['csp_k', 'sk-ant', 'jo@', 'state=secret', scratch]) expect(report).not.toContain(secret)
    expect(report).not.toContain(hostname())
  })

  test('leaves words alone that the name of a user is part of, and runs from a folder with spaces', () => {
    const home = mkdtempSync(join(scratch, 'pi-'))
    const put = (name: string, text: string) => {
      mkdirSync(join(home, 'a checkout', dirname(name)), { recursive: true })
      writeFileSync(join(home, 'a checkout', name), text, { mode: 0o755 })
    }
    put('scripts/try-here.sh', readFileSync(script, 'utf8'))
    put('bin/csp.mjs', "console.log('/home/pi/x: the API of pi copies, pi.')\n")
    put('path/id', '#!/bin/sh\necho pi\n')
    Bun.spawnSync(['sh', 'a checkout/scripts/try-here.sh', '--yes'], {
      cwd: home,
      env: { HOME: home, PATH: `${join(home, 'a checkout/path')}:${process.env['PATH']}` },
      stdin: 'ignore',
    })
    const report = readFileSync(join(home, 'csp-report.txt'), 'utf8')
    expect(report).toContain('== install: code 0')
    expect(report).toContain('   /home/USER/x: the API of USER copies, USER.\n')
  })

  test('goes on with csp start where no service can be installed', () => {
    const { calls, report } = tried(['--yes', '--sandbox'], { service: 1 })
    expect(calls).not.toContain('login --yes')
    expect(calls.slice(3)).toEqual([
      'start --at-login --port 52489',
      'stop --at-login',
      'start --port 52489',
      'status',
      'stop',
      'uninstall --yes',
    ])
    expect(report).toContain('No service here; csp start instead.')
  })

  test('removes nothing where csp was set up before, and does nothing that nobody agreed to', () => {
    expect(tried(['--yes'], { before: true }).calls).not.toContain('uninstall --yes')
    expect(tried([]).calls).toEqual(['--version', 'doctor', 'stop'])
    expect(tried(['--frobnicate'])).toMatchObject({ exitCode: 2, calls: [''] })
  })

  testNeeding('shellcheck', Bun.which('shellcheck') !== null)('has no fault that shellcheck knows', () => {
    const { stdout, exitCode } = Bun.spawnSync(['shellcheck', script])
    expect([stdout.toString(), exitCode]).toEqual(['', 0])
  })
})
