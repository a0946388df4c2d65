import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemdUnit } from '../../../../src/runtime/background/service/systemd-unit.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { testNeeding } from '../../../support/needs.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csp-unit-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const plan = (command: string, args: readonly string[] = [], environment: Record<string, string> = {}) => ({
  program: { command, args },
  environment,
  logFile: '/nowhere',
})
const lineOf = (unit: string, name: string) => unit.split('\n').find((line) => line.startsWith(`${name}=`))

describe('a systemd unit', () => {
  test('starts csp again after a failure, but not with wrong settings, and lets it stop its CLI', () => {
    const unit = systemdUnit(
      plan('/usr/bin/node', ['/opt/csp/bin/csp.mjs', 'serve', '--port=8080'], { PATH: '/usr/bin' }),
    )
    expect(unit.split('\n')).toEqual(
      expect.arrayContaining([
        'ExecStart=/usr/bin/node /opt/csp/bin/csp.mjs serve --port=8080',
        'Environment=PATH=/usr/bin',
        'Restart=on-failure',
        'RestartSec=5',
        'RestartPreventExitStatus=2',
        'TimeoutStopSec=15',
        'KillMode=mixed',
        'WantedBy=default.target',
      ]),
    )
  })

  test('keeps arguments as they are, which systemd would expand, split or unquote', () => {
    const args = ['a b', '50%h', '$HOME', `\${HOME}`, 'say "hi"', "it's", 'back\\slash', ';', '']
    expect(lineOf(systemdUnit(plan('/bin/node', args)), 'ExecStart')).toBe(
      `ExecStart=/bin/node "a b" 50%%h $$HOME "$$\{HOME}" "say \\"hi\\"" "it's" "back\\\\slash" ";" ""`,
    )
  })

  test('keeps variables as they are, where a dollar means nothing', () => {
    expect(lineOf(systemdUnit(plan('/bin/node', [], { PATH: '/a b:/$c:/%d' })), 'Environment')).toBe(
      'Environment="PATH=/a b:/$c:/%%d"',
    )
  })

  test('is refused where a text would begin another line', () => {
    for (const text of ['a\nExecStartPre=/bin/evil', 'a\rb', 'a\0b']) {
      expect(() => systemdUnit(plan('/bin/node', [text]))).toThrow(UsageError)
      expect(() => systemdUnit(plan('/bin/node', [], { CSP_MODEL: text }))).toThrow(UsageError)
      expect(() => systemdUnit(plan(text))).toThrow(UsageError)
    }
  })

  test('is refused for a program that systemd does not run', () => {
    for (const path of ['/a"b/node', "/a'b/node", '/a\\b/node', `/a\${b}/node`]) {
      expect(() => systemdUnit(plan(path))).toThrow('systemd runs no program with such a path')
    }
  })

  testNeeding('systemd-analyze', Bun.which('systemd-analyze') !== null)(
    'is one that systemd takes, with any path',
    () => {
      const verdictOn = (command: string) => {
        const file = join(folder, 'csp.service')
        const environment = { PATH: `/a b:/$c:/%d:/q"u'o\\te` }
        writeFileSync(file, systemdUnit(plan(command, ['50%h $HOME "q"', ';', 'back\\'], environment)))
        const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--user', file], {
          env: { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder },
        })
        return { exitCode, said: stderr.toString() }
      }
      const odd = join(folder, 'a b%h$HOME')
      mkdirSync(odd)
      symlinkSync('/bin/true', join(odd, 'node'))
      expect(verdictOn(join(odd, 'node'))).toEqual({ exitCode: 0, said: '' })
      expect(verdictOn(join(folder, 'missing/node'))).toMatchObject({ exitCode: 1 })
    },
  )
})
