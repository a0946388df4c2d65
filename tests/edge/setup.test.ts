import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../src/runtime/cli/main.ts'
import { testShell } from '../runtime/test-shell.ts'
import { type FakeWrangler, fakeWrangler } from './support/fake-wrangler.ts'

// `csp setup edge` with a program called wrangler on PATH that writes down what it is asked. Cloudflare itself takes an
// account; what the real wrangler says to our Worker without one is in deploy.test.ts.

const scratch = mkdtempSync(join(tmpdir(), 'csp-setup-edge-'))
afterAll(() => rmSync(scratch, { recursive: true }))

interface Machine {
  readonly wrangler: FakeWrangler
  readonly folder: string
  csp(...args: readonly string[]): Promise<number>
  edge(args: readonly string[], reply?: string): Promise<{ code: number; printed: string; complaints: string }>
  /** The calls since the last look, without the paths that differ each time. */
  calls(): readonly string[]
}

function machine(options: { signedIn?: boolean; version?: string } = {}): Machine {
  const home = mkdtempSync(join(scratch, 'home-'))
  const wrangler = fakeWrangler(join(home, 'bin'), options)
  const folder = join(home, '.config', 'csp', 'edge')
  const environment = { HOME: home, PATH: wrangler.folder }
  let seen = 0
  return {
    wrangler,
    folder,
    csp: (...args) => main(args, testShell({ environment, directory: home })),
    async edge(args, reply) {
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(['setup', 'edge', ...args], shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
    calls() {
      const fresh = wrangler.calls().slice(seen)
      seen += fresh.length
      return fresh.map(({ args }) => args.join(' ').replace(/ --config \S+$/, ''))
    },
  }
}

const firstTime = [
  '--version',
  'whoami --json',
  'kv namespace list',
  'kv namespace create csp-cache',
  'kv namespace list',
  'deploy',
  'secret list',
  'secret bulk',
]

describe('csp setup edge', () => {
  test('runs every step and prints the next command', async () => {
    const { edge, calls, wrangler, folder } = machine()
    const { code, printed, complaints } = await edge([], 'y')
    expect(complaints).toBe('')
    expect(code).toBe(0)
    expect(calls()).toEqual(firstTime)
    expect(printed).toContain('signed in to Cloudflare as a@example.org')
    const secretFile = join(folder, 'connect-secret')
    const [command] = /csp connect .*/.exec(printed) ?? []
    expect(command).toBe(`csp connect https://csp-edge.me.workers.dev`)

    const secrets = JSON.parse(wrangler.calls().find(({ args }) => args[1] === 'bulk')?.input ?? '')
    expect(Object.keys(secrets)).toEqual(['CSP_API_KEYS', 'CSP_CONNECT_SECRET'])
    expect(readFileSync(secretFile, 'utf8').trim()).toBe(secrets.CSP_CONNECT_SECRET)
    expect(printed).toContain(`key      ${secrets.CSP_API_KEYS}`)
    for (const secret of [secrets.CSP_API_KEYS, secrets.CSP_CONNECT_SECRET]) {
      expect(secret.length).toBeGreaterThanOrEqual(43)
      // Other users of the machine read arguments.
      expect(JSON.stringify(wrangler.calls().map(({ args }) => args))).not.toContain(secret)
    }
    expect(printed).not.toContain(secrets.CSP_CONNECT_SECRET)
  })

  test('creates private files and a configuration that works in any folder', async () => {
    const { edge, folder } = machine()
    await edge(['--name', 'my-edge', '--yes'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'connect-secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).toSorted()).toEqual(['connect-secret', 'wrangler.toml'])
    const config = readFileSync(join(folder, 'wrangler.toml'), 'utf8')
    expect(config).toContain('\nname = "my-edge"\n')
    expect(config).toContain('\nid = "0123456789abcdef0123456789abcdef"\n')
    const main = /^main = "(.*)"$/m.exec(config)?.[1] ?? ''
    expect(main).toStartWith('/')
    expect(existsSync(main)).toBe(true)
  })

  test('a second run keeps what is there: namespace, secrets and the settings in [vars]', async () => {
    const { edge, calls, folder } = machine()
    await edge(['--yes'])
    calls()
    const secret = readFileSync(join(folder, 'connect-secret'), 'utf8')
    const file = join(folder, 'wrangler.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('[vars]', '[vars]\nCSP_DAILY_SEARCHES = "5"'))
    const { code, printed } = await edge(['--yes'])
    expect(code).toBe(0)
    expect(calls()).toEqual(['--version', 'whoami --json', 'kv namespace list', 'deploy', 'secret list'])
    expect(readFileSync(join(folder, 'connect-secret'), 'utf8')).toBe(secret)
    expect(readFileSync(file, 'utf8')).toContain('[vars]\nCSP_DAILY_SEARCHES = "5"')
    expect(printed).toContain('as before')
  })

  test('a second run keeps routes, workers_dev, observability and what else the user set', async () => {
    const { edge, folder } = machine()
    await edge(['--yes'])
    const file = join(folder, 'wrangler.toml')
    const routes = 'routes = [\n  { pattern = "search.example.org", custom_domain = true },\n]'
    const chosen = readFileSync(file, 'utf8')
      .replace('workers_dev = true', 'workers_dev = false')
      .replace('minify = true', `minify = true\n${routes}\naccount_id = "an-account"`)
      .replace('enabled = true\nhead_sampling_rate = 1', 'enabled = false')
      .replace('[observability]', '[placement]\nmode = "smart"\n\n[observability]')
      .replace('[vars]', '[vars]\nCSP_DAILY_SEARCHES = "5"')
      .replace('compatibility_date = "', 'compatibility_date = "1')
    writeFileSync(file, chosen)
    for (let run = 0; run < 2; run++) {
      expect((await edge(['--yes'])).code).toBe(0)
      const text = readFileSync(file, 'utf8')
      // The trust boundary: the test's own file.
      const written = Bun.TOML.parse(text) as Record<string, object>
      expect(written).toMatchObject({
        workers_dev: false,
        account_id: 'an-account',
        routes: [{ pattern: 'search.example.org', custom_domain: true }],
        observability: { enabled: false },
        placement: { mode: 'smart' },
        vars: { CSP_DAILY_SEARCHES: '5' },
        compatibility_date: expect.stringMatching(/^2026-/),
        durable_objects: { bindings: [{ name: 'HOMES' }, { name: 'BUDGET' }] },
      })
      expect(written['observability']).toEqual({ enabled: false })
      expect(text.match(/^routes = /gm)).toHaveLength(1)
      expect(text).toContain('# Versions that were never deployed')
    }
  })

  test('a second run keeps all from [vars] on as it is, bindings of the user among it', async () => {
    const { edge, folder } = machine()
    await edge(['--yes'])
    const file = join(folder, 'wrangler.toml')
    const own = "\n[vars]\nNOTE = '''\n[one]\n[two]'''\n\n[[kv_namespaces]]\nbinding = \"MINE\"\nid = \"12\"\n"
    writeFileSync(file, `${readFileSync(file, 'utf8').split('\n[vars]')[0]}${own}`)
    expect((await edge(['--yes'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toEndWith(own)
  })

  test('a second run brings the migrations of this csp to the configuration of an earlier one', async () => {
    const { edge, folder } = machine()
    await edge(['--yes'])
    const file = join(folder, 'wrangler.toml')
    const current = readFileSync(file, 'utf8')
    const migration = '\n[[migrations]]\ntag = "v2"\nrenamed_classes = [{ from = "HomeTunnel", to = "TunnelObject" }]\n'
    expect(current).toContain(migration)
    writeFileSync(file, current.replace(migration, '').replace('"TunnelObject"', '"HomeTunnel"'))
    expect((await edge(['--yes'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(current)
  })

  test('--renew makes new secrets', async () => {
    const { edge, folder } = machine()
    const first = await edge(['--yes'])
    const secret = readFileSync(join(folder, 'connect-secret'), 'utf8')
    const second = await edge(['--yes', '--renew'])
    const keyIn = (printed: string) => /csp_[\w-]+/.exec(printed)?.[0]
    expect(keyIn(second.printed)).toBeString()
    expect(keyIn(second.printed)).not.toBe(keyIn(first.printed))
    expect(readFileSync(join(folder, 'connect-secret'), 'utf8')).not.toBe(secret)
  })

  test('replaces a lost secret of this machine and keeps the keys of clients', async () => {
    const { edge, wrangler, folder } = machine()
    await edge(['--yes'])
    rmSync(join(folder, 'connect-secret'))
    await edge(['--yes'])
    const [, again] = wrangler.calls().filter(({ args }) => args[1] === 'bulk')
    expect(Object.keys(JSON.parse(again?.input ?? ''))).toEqual(['CSP_CONNECT_SECRET'])
  })

  test('sends the hashes of named keys to the edge until they are revoked', async () => {
    const { edge, csp, wrangler } = machine()
    await csp('keys', 'add', 'phone', '--per-day', '5')
    await edge(['--yes'])
    const sent = () => JSON.parse(wrangler.calls().findLast(({ args }) => args[1] === 'bulk')?.input ?? '').CSP_KEYS
    const limited = { name: 'phone', 'per-day': 5, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(JSON.parse(sent()).keys).toEqual([expect.objectContaining(limited)])
    await csp('keys', 'revoke', 'phone')
    await edge(['--yes'])
    expect(sent()).toBeNull()
  })

  test('signs the user in first if needed', async () => {
    const { edge, calls } = machine({ signedIn: false })
    expect((await edge([], 'y')).code).toBe(0)
    expect(calls().slice(1, 4)).toEqual(['whoami --json', 'login', 'whoami --json'])
  })

  test('does not sign in without a terminal', async () => {
    const { edge, calls } = machine({ signedIn: false })
    const { code, complaints } = await edge(['--yes'])
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: expect.stringContaining('Not signed in to Cloudflare.'),
    })
    expect(calls()).toEqual(['--version', 'whoami --json'])
  })

  test('waits for no browser where standard input is no terminal', async () => {
    const { edge, calls } = machine({ signedIn: false })
    const { code, complaints } = await edge([])
    expect([code, complaints]).toEqual([1, expect.stringContaining('Run wrangler login, or set CLOUDFLARE_API_TOKEN')])
    expect(calls()).toEqual(['--version', 'whoami --json'])
  })

  test.each([
    ['n', 1, 'Nothing was changed.'],
    [undefined, 2, 'Not a terminal: cannot prompt.'],
  ])('the answer %p changes nothing', async (reply, code, complaint) => {
    const { edge, calls, folder } = machine()
    const result = await edge([], reply)
    expect(result).toMatchObject({ code, complaints: expect.stringContaining(complaint) })
    expect(calls()).toEqual(['--version', 'whoami --json'])
    expect(existsSync(folder)).toBe(false)
  })

  test.each(firstTime.filter((call) => !/^(--version|whoami)/.test(call)))(
    'a failure at "%s" is told, and the next run goes on',
    async (step) => {
      const { edge, wrangler, folder } = machine()
      wrangler.breakAt(step)
      const failed = await edge(['--yes'])
      expect(failed.code).toBe(1)
      expect(failed.complaints).toContain(`The fake fails at ${step}`)
      expect(existsSync(join(folder, 'connect-secret'))).toBe(false)
      wrangler.mend()
      expect((await edge(['--yes'])).code).toBe(0)
      const pair = wrangler.calls().findLast(({ args }) => args[1] === 'bulk')
      expect(JSON.parse(pair?.input ?? '').CSP_CONNECT_SECRET).toBe(
        readFileSync(join(folder, 'connect-secret'), 'utf8').trim(),
      )
    },
  )

  test('--dry-run builds and changes neither an account nor a file', async () => {
    const { edge, calls, folder } = machine({ signedIn: false })
    const { code, printed } = await edge(['--dry-run'])
    expect(code).toBe(0)
    expect(calls().map((call) => call.replace(/ --outdir \S+/, ''))).toEqual(['--version', 'deploy --dry-run'])
    expect(printed).toContain('the Worker builds: 0.50 KiB compressed')
    expect(existsSync(folder)).toBe(false)
  })

  test('skips a wrangler that is too old', async () => {
    const { edge, calls } = machine({ version: '3.114.0' })
    const { code, printed } = await edge(['--dry-run'])
    expect(code).toBe(0)
    expect(calls()).toEqual(['--version'])
    // That of the checkout.
    expect(printed).toMatch(/wrangler 4\.\d+\.\d+ \(npx wrangler\)/)
  })

  test('rejects an invalid name before anything runs', async () => {
    const { edge, calls } = machine()
    for (const name of ['Edge', 'a b', '-edge', 'x'.repeat(55), '']) {
      expect(await edge(['--name', name])).toMatchObject({ code: 2, complaints: expect.stringContaining('--name') })
    }
    expect(calls()).toEqual([])
  })
})
