import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemd, systemdUnit } from '../../../../src/runtime/background/service/systemd.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { testNeeding } from '../../../support/needs.ts'

const systemd = '/usr/lib/systemd/systemd'
const canRead = existsSync(systemd) && (process.getuid?.() !== 0 || Bun.which('setpriv') !== null)

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

test.each([
  ['daemon-reload', 'No user manager.\nReally.', /No user manager\.$/m],
  ['enable', 'No room.', /enable.*No room\./s],
  ['enable', '', /enable.*exit code 7/s],
  ['restart', 'It ends at once.', /start.*It ends at once\./s],
])('systemd that fails to %s is quoted: %p', async (verb, said, words) => {
  const environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
  const manager = createSystemd(
    async (_name, args) => (args.includes(verb) ? { code: 7, said } : { code: 0, said: '' }),
    environment,
  )
  await expect(manager.install(plan('/bin/node'))).rejects.toThrow(words)
})

test.each<[readonly [number, string], readonly [number | undefined, string], boolean, string | undefined]>([
  [[0, 'enabled'], [0, 'active'], true, 'active'],
  [[1, 'disabled'], [3, 'auto-restart'], false, 'auto-restart'],
  [[0, 'enabled'], [1, 'Failed to connect to bus'], true, undefined],
  [[1, ''], [undefined, 'missing'], false, undefined],
])('what systemd says of the service, %j and %j, is its state', async (enabled, active, isEnabled, state) => {
  const manager = createSystemd(
    async (_, args) => {
      const [code, said] = args.includes('is-enabled') ? enabled : active
      return { code, said }
    },
    { HOME: folder },
  )
  expect(await manager.state()).toEqual({ isEnabled, state })
})

test('a systemd that serves no user is said with what to do, and the unit is written', async () => {
  const manager = createSystemd(async () => ({ code: 1, said: 'No bus.\nReally.' }), { HOME: folder })
  const failure = await manager.install(plan('/bin/node')).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    name: 'ServiceError',
    message: [
      `The service is written to ${manager.file}, but systemd runs no services for this user here: No bus.`,
      'Logged in as this user, by ssh or at the machine and not by su or sudo, this starts it:',
      '  systemctl --user daemon-reload && systemctl --user enable --now csp',
      'In a container, let the container run csp serve, and restart it on failure.',
    ].join('\n'),
  })
  expect(manager.file).toBe(join(folder, '.config/systemd/user/csp.service'))
  // A folder of settings that is not absolute counts for nothing, as for systemd.
  expect(createSystemd(async () => ({ code: 0, said: '' }), { HOME: folder, XDG_CONFIG_HOME: 'x' }).file).toBe(
    manager.file,
  )
  expect(existsSync(manager.file)).toBe(true)
  expect(await manager.uninstall()).toEqual([manager.file])
  expect(await manager.uninstall()).toEqual([])
})

test.each([
  ['Linger=no', true],
  ['Linger=yes', false],
  ['', false],
])('a service that ends at the logout, by %p, is said to: %p', async (said, isSaid) => {
  const calls: string[] = []
  const run = async (...call: readonly [string, readonly string[]]) => {
    calls.push(call.flat().join(' '))
    return { code: 0, said }
  }
  const hint = await createSystemd(run, { HOME: folder }).hint()
  expect(hint?.includes('loginctl enable-linger')).toBe(isSaid ? true : undefined)
  expect(calls).toEqual([`loginctl show-user ${process.getuid?.()} -p Linger`])
})

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

  testNeeding('systemd', canRead)('is read by systemd as it was meant', () => {
    const args = ['a b', '50%h', 'say "hi"', "it's", 'back\\slash', ';', '#no', '']
    const variables = { PATH: `/a b:/$c:/%d:/q"u'o\\te` }
    writeFileSync(join(folder, 'csp.service'), systemdUnit(plan('/bin/true', args, variables)))
    const lines = dumped(folder)
    expect(lines).toContain(`Environment: PATH=${variables.PATH}`)
    // It quotes what it shows.
    const shown = ['"a b"', '50%h', '"say \\"hi\\""', '"it\'s"', '"back\\\\slash"', '";"', '#no', '""'].join(' ')
    expect(lines.filter((line) => line.startsWith('Command Line: /bin/true'))).toEqual([
      `Command Line: /bin/true ${shown}`,
    ])
  })
})

/** What systemd makes of the units in a folder. It starts none, and does not do this for root. */
function dumped(units: string): readonly string[] {
  chmodSync(units, 0o777)
  chmodSync(join(units, 'csp.service'), 0o644)
  const other = process.getuid?.() === 0 ? ['setpriv', '--reuid', '65534', '--clear-groups'] : []
  const path = `${units}:/usr/lib/systemd/user`
  const { stdout, stderr } = Bun.spawnSync([...other, systemd, '--user', '--test', '--unit', 'csp.service'], {
    env: { PATH: process.env['PATH'], HOME: units, XDG_RUNTIME_DIR: units, SYSTEMD_UNIT_PATH: path },
  })
  return `${stdout}\n${stderr}`.split('\n').map((line) => line.trim())
}
