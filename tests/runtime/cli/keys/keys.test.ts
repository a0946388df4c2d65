import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { outerAddresses } from '../../../../src/runtime/cli/keys/phone.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const root = mkdtempSync(join(tmpdir(), 'csp-keys-'))
afterAll(() => rmSync(root, { recursive: true }))
let home = ''
beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'))
})

async function csp(args: readonly string[], options: Partial<TestShellOptions> = {}) {
  const shell = testShell({ directory: home, environment: { HOME: home }, ...options })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

/** The record of a csp that runs with these flags: this process stands for it. */
function running(flags: readonly string[], port = 8123) {
  const about = { port, version: '0', token: 't'.repeat(32), settings: '', flags: [...flags] }
  const stateDir = join(home, '.local', 'state', 'csp')
  return announceServer(stateDir, { ...about, url: `http://127.0.0.1:${port}`, manager: 'background' })
}

const lan = { host: ['192.0.2.7'], port: 52_480, allowedHosts: [] }

describe('other devices reach csp', () => {
  const address = (address: string, internal = false) => ({
    ...{ address, internal, family: 'IPv4' as const, netmask: '', mac: '', cidr: null },
  })
  const interfaces = {
    lo: [address('127.0.0.1', true)],
    eth0: [address('192.168.1.5')],
    docker0: [address('172.17.0.1')],
  }

  test.each([
    ['nowhere on loopback', { ...lan, host: ['127.0.0.1'] }, []],
    ['at an address it listens on', lan, ['http://192.0.2.7:52480']],
    ['at those of the machine, without its containers', { ...lan, host: ['0.0.0.0'] }, ['http://192.168.1.5:52480']],
    ['nowhere on the bridge of containers alone', { ...lan, host: ['172.17.0.1'] }, []],
    ['at a name', { ...lan, allowedHosts: ['desk.lan'] }, ['http://desk.lan:52480']],
    ['at a name with a port', { ...lan, allowedHosts: ['desk.lan:80'] }, ['http://desk.lan:80']],
    ['at any name', { ...lan, allowedHosts: ['*'] }, ['http://192.0.2.7:52480']],
    [
      'by the proxy before loopback',
      { ...lan, host: ['127.0.0.1'], allowedHosts: ['localhost', 'desk.example.ts.net'] },
      ['https://desk.example.ts.net'],
    ],
    ['nowhere where only containers may call it', { ...lan, allowedHosts: ['host.docker.internal'] }, []],
  ])('%s', (_, settings, expected) => expect(outerAddresses(settings, interfaces)).toEqual(expected))
})

describe('csp keys add on a terminal', () => {
  test('shows a QR code that opens the page of the running csp with the key', async () => {
    await using _ = { [Symbol.asyncDispose]: (await running(['--host=192.0.2.7'])).end }
    const { printed, complaints } = await csp(['keys', 'add', 'phone'], { isTerminal: true })
    const key = printed.trim()
    expect(complaints).toContain(`http://192.0.2.7:8123/#key=${key}&remember=on\n`)
    expect(complaints).not.toContain('does not run yet')
    const rows = complaints.split('\n').filter((line) => /[▀▄█]/.test(line))
    expect(rows.length).toBeGreaterThan(15)
    // Dark on light on every terminal.
    for (const row of rows) expect(row).toMatch(/^\x1b\[97;40m[▀▄█ ]+\x1b\[0m$/)
  })

  test('shows the link alone where the code would not fit, and neither with --no-qr nor in a pipe', async () => {
    const config = join(home, 'config.json')
    await Bun.write(config, JSON.stringify({ host: '192.0.2.7' }))
    const add = (name: string, options: Partial<TestShellOptions>, ...more: string[]) =>
      csp(['keys', 'add', name, '--config', config, ...more], options)
    const dumb = await add('a', { isTerminal: true, environment: { HOME: home, TERM: 'dumb' } })
    expect(dumb.complaints).toContain('open the link below')
    expect(dumb.complaints).toContain('csp does not run yet: csp start.')
    expect(dumb.complaints).not.toMatch(/[▀▄█\x1b]/)
    for (const { complaints } of [await add('b', { isTerminal: true }, '--no-qr'), await add('c', {})])
      expect(complaints).not.toContain('#key=')
  })

  test('says how a phone could reach csp where it cannot', async () => {
    const { complaints } = await csp(['keys', 'add', 'phone'], { isTerminal: true })
    expect(complaints).toContain('csp start --allowed-hosts NAME')
    expect(complaints).not.toMatch(/[▀▄█]/)
  })
})

describe('csp keys revoke of the last key', () => {
  const revoke = (options: Partial<TestShellOptions> = {}) => csp(['keys', 'revoke', 'phone'], options)

  test('asks on a terminal, and says what follows and how to get in again', async () => {
    await csp(['keys', 'add', 'phone'])
    await using _ = { [Symbol.asyncDispose]: (await running([])).end }
    const no = await revoke({ reply: '' })
    expect(no.code).toBe(1)
    expect(no.printed).toContain('csp at http://127.0.0.1:8123 still requires a key, and so refuses all clients.')
    expect(no.printed).toContain('csp keys add NAME, which takes effect at once')
    expect(no.printed).toContain('Or csp restart, to serve this machine without keys.')
    expect(no.complaints).toBe('Nothing was changed.\n')
    expect((await csp(['keys', 'list'])).printed).toContain('phone')
    expect((await revoke({ reply: 'y' })).printed).toEndWith('Revoked "phone".\n')
    expect((await csp(['keys', 'list'])).printed).toContain('No keys')
  })

  test('goes on in a script, since the key may have leaked, and says the same', async () => {
    await csp(['keys', 'add', 'phone'])
    await using _ = { [Symbol.asyncDispose]: (await running(['--host=192.0.2.7'])).end }
    const { code, complaints } = await revoke()
    expect([code, complaints]).toEqual([0, expect.stringContaining('Without a key csp does not start again there.')])
  })

  test('says what the next start does where no csp runs', async () => {
    await csp(['keys', 'add', 'phone'])
    expect((await revoke()).complaints).toBe(
      'This is the last key. The next csp start serves this machine without keys.\n',
    )
  })

  test('asks nothing while another key is left, also one of --api-keys', async () => {
    await csp(['keys', 'add', 'phone'])
    const environment = { HOME: home, CSP_API_KEYS: 'another-key-of-mine' }
    expect(await revoke({ reply: 'n', environment })).toMatchObject({ code: 0, complaints: '' })
  })
})

test('the first key says whom it locks out, also to a script; the next one does not', async () => {
  for (const flags of [[], ['--json']]) {
    home = mkdtempSync(join(root, 'home-'))
    expect((await csp(['keys', 'add', 'phone', ...flags])).complaints).toContain('requires one on this machine too')
    expect((await csp(['keys', 'add', 'desk', ...flags])).complaints).not.toContain('this machine')
  }
})
