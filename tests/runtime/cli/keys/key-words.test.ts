import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { afterLastKey } from '../../../../src/runtime/cli/keys/keys.ts'
import { outerAddresses } from '../../../../src/runtime/cli/keys/phone.ts'
import { servingCsp } from '../../../../src/runtime/cli/keys/serving.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const root = mkdtempSync(join(tmpdir(), 'csp-key-words-'))
afterAll(() => rmSync(root, { recursive: true }))
let home = ''
beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'))
})
const keyFile = () => join(home, '.config/csp/keys.json')

async function csp(line: string, options: Partial<TestShellOptions> = {}, columns = 80) {
  const shell = testShell({ directory: home, ...options, environment: { HOME: home, ...options.environment } })
  const errors = { ...shell.errors, columns }
  const code = await main(['keys', ...line.split(' ')], { ...shell, errors })
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

test.each([
  ['list --per-minute 1', '--per-minute goes with csp keys add only.'],
  ['revoke phone --tokens-per-day 1', '--tokens-per-day goes with csp keys add only.'],
  ['list --no-qr', '--no-qr goes with csp keys add only.'],
  ['list phone', 'Usage: csp keys add NAME|list|revoke NAME'],
  ['revoke', 'Usage: csp keys add NAME|list|revoke NAME'],
  ['add', 'Usage: csp keys add NAME|list|revoke NAME'],
  ['remove phone --per-minute 1', 'Usage: csp keys add NAME|list|revoke NAME'],
  ['add Phone', 'A key cannot be called "Phone". Names have 1 to 64 of a-z, '],
  ['add key-1', 'A key cannot be called "key-1".'],
  [`add ${'a'.repeat(65)}`, 'A key cannot be called'],
])('csp keys %s is refused', async (line, complaint) => {
  const { code, printed, complaints } = await csp(line)
  expect([code, printed, complaints]).toEqual([2, '', expect.stringContaining(complaint)])
})

describe('csp keys', () => {
  test('prints a key alone, and says how clients send it; or both as JSON', async () => {
    const plain = await csp('add phone')
    expect(plain.printed).toMatch(/^\S{20,}\n$/)
    expect(plain.complaints).toContain('\nThis is the key "phone". It is shown only now. Clients send it as ')
    const { printed, complaints } = await csp('add desk --json --per-day 2')
    expect(complaints).toBe('')
    expect(JSON.parse(printed)).toEqual({
      key: expect.stringMatching(/^\S{20,}$/),
      ...{ name: 'desk', created: expect.stringMatching(/^\d{4}-.*Z$/), file: keyFile() },
      ...{ per_minute: null, per_day: 2, tokens_per_day: null, plan_reserve: null },
    })
  })

  test('is the first key only without others, also of --api-keys', async () => {
    const environment = { CSP_API_KEYS: 'another-key-of-mine' }
    expect((await csp('add phone', { environment })).complaints).not.toContain('This is the first key')
  })

  test('lists each key with its day and all of its limits, and counts those without names', async () => {
    await csp('add phone --per-minute 1 --per-day 2 --tokens-per-day 3 --plan-reserve 4%')
    await csp('add desk')
    const today = new Date().toISOString().slice(0, 10)
    const rows = [
      `phone  ${today}  1 searches a minute, 2 searches a day, 3 tokens a day, leaves 4% of the plan`,
      `desk   ${today}  no limit`,
    ]
    const { printed } = await csp('list')
    // A day may end between the two.
    if (new Date().toISOString().startsWith(today)) expect(printed).toBe(`${rows.join('\n')}\n`)
    const environment = { CSP_API_KEYS: 'one,two' }
    expect((await csp('list', { environment })).printed).toBe(`${printed}and 2 of --api-keys, without names\n`)
    expect(JSON.parse((await csp('list --json')).printed)).toMatchObject({
      file: keyFile(),
      keys: [
        { name: 'phone', plan_reserve: 4 },
        { name: 'desk', per_minute: null },
      ],
    })
  })

  test('revokes one, and says what an edge still has', async () => {
    for (const name of ['phone', 'desk', 'third']) await csp(`add ${name}`)
    expect(await csp('revoke third', { reply: 'n' })).toEqual({
      code: 0,
      printed: 'Revoked "third".\n',
      complaints: '',
    })
    mkdirSync(join(home, '.config/csp/edge'), { recursive: true })
    writeFileSync(join(home, '.config/csp/edge/wrangler.toml'), '')
    expect(await csp('revoke phone --json')).toEqual({
      ...{ code: 0, printed: '{"revoked":"phone","left":1}\n' },
      complaints: 'An edge that has this key keeps it until csp setup edge is run again.\n',
    })
    expect((await csp('revoke dsk', { reply: 'n' })).complaints).toContain('There is no key "dsk". Did you mean desk?')
    // The last one, without a question for a program.
    const { code, printed, complaints } = await csp('revoke desk --json', { reply: 'n' })
    expect([code, JSON.parse(printed)]).toEqual([0, { revoked: 'desk', left: 0 }])
    expect(complaints).toContain('This is the last key.')
  })

  test('shows a QR code only where both streams are a terminal of its width', async () => {
    const config = join(home, 'config.json')
    writeFileSync(config, '{"host": "192.0.2.7", "api-keys": ["one-key-of-mine-here"]}')
    const add = async (name: string, columns: number) =>
      (await csp(`add ${name} --config ${config}`, { isTerminal: true }, columns)).complaints
    const width = Math.max(
      ...(await add('a', 500))
        .split('\n')
        .filter((line) => /[▀▄█]/.test(line))
        .map((line) => line.length - '\x1b[97;40m\x1b[0m'.length),
    )
    expect(width).toBeGreaterThan(20)
    expect(await add('b', width)).toContain('scan this, or open the link below')
    expect(await add('c', width - 1)).toContain('computer open the link below')
    const { complaints } = await csp(`add d --config ${config}`)
    expect(complaints).not.toContain('link')
  })
})

test('addresses within this machine are none for other devices', () => {
  const of = (address: string, family: 'IPv4' | 'IPv6', internal = false) => ({
    address,
    family,
    internal,
    netmask: '',
    mac: '',
    cidr: null,
  })
  const interfaces = {
    lo: [of('127.0.0.1', 'IPv4', true)],
    eth0: [of('192.168.1.5', 'IPv4'), of('fd00::5', 'IPv6')],
    'br-1': [of('172.18.0.1', 'IPv4')],
    tun0: undefined,
  }
  const outer = (more: object) =>
    outerAddresses({ host: ['0.0.0.0'], port: 80, allowedHosts: [], ...more }, interfaces as never)
  expect(outer({})).toEqual(['http://192.168.1.5:80'])
  expect(outer({ host: ['0.0.0.0', '192.168.1.5', '172.18.0.1'] })).toEqual(['http://192.168.1.5:80'])
  expect(outer({ allowedHosts: ['*', 'localhost'] })).toEqual([])
  expect(outer({ allowedHosts: ['*', 'desk.lan', '127.0.0.1:9'] })).toEqual(['http://desk.lan:80'])
  expect(outer({ host: ['127.0.0.1'] })).toEqual([])
})

describe('the csp that clients call', () => {
  const load = (flags = {}) => loadConfig(flags, { HOME: home }, home)
  const found = (loaded = load()) =>
    servingCsp({ shell: testShell({ environment: { HOME: home }, directory: home }), loaded })
  const running = (flags: readonly string[]) => {
    const about = { port: 8123, version: '0', token: 't'.repeat(32), settings: '', flags: [...flags] }
    return announceServer(load().config.stateDir, { ...about, url: 'http://127.0.0.1:8123', manager: 'background' })
  }

  test('is the one that runs, with its own flags and port', async () => {
    expect((await found(load({ model: 'opus' }))).config.model).toBe('opus')
    const { end } = await running(['--sandbox', '--model=a=b', '--port=1'])
    const { running: record, config } = await found()
    expect(record?.url).toBe('http://127.0.0.1:8123')
    expect(config).toMatchObject({ sandbox: true, model: 'a=b', port: 8123 })
    await end()
  })

  test('has the settings of now where its files are gone', async () => {
    const { end } = await running(['--config=gone.json'])
    expect((await found(load({ model: 'opus' }))).config).toMatchObject({ model: 'opus', port: 8123 })
    await end()
  })

  test('starts again without its last key on this machine alone', () => {
    const { config } = load()
    const beyond = { ...config, host: ['192.0.2.7'] }
    const record = { url: 'http://127.0.0.1:8123' } as never
    expect(afterLastKey({ running: undefined, config })).toBe(
      'This is the last key. The next csp start serves this machine without keys.',
    )
    expect(afterLastKey({ running: undefined, config: beyond })).toEndWith(
      'start fails until there is another: csp keys add NAME.',
    )
    expect(afterLastKey({ running: record, config })).toEndWith('\nOr csp restart, to serve this machine without keys.')
    expect(afterLastKey({ running: record, config: beyond })).toEndWith(
      '\nWithout a key csp does not start again there.',
    )
  })
})
