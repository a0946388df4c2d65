import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { identityOf } from '../../../../src/runtime/background/process-identity.ts'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { replaceFile } from '../../../../src/storage/replace-file.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'
import { fakeManagers } from '../../../support/fake-managers.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-uninstall-'))
const searxng = serveApi(() =>
  Response.json({ query: 'q', results: [{ url: 'https://a.example/', title: 'A' }], unresponsive_engines: [] }),
)
afterAll(async () => {
  await searxng[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true })
})

function machine(files: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return {
    home,
    async csp(args: readonly string[], reply?: string, more: Readonly<Record<string, string>> = {}) {
      // A list whose pages are late is not kept, and this one is to be.
      const backend = { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url, CSP_PORT: '9', CSP_PAGES: 'off' }
      const environment = { HOME: home, PATH: '', TMPDIR: join(home, 'tmp'), ...backend, ...more }
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(args, shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
    /** Every file with its text, and every empty folder. */
    all: () =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() || readdirSync(join(entry.parentPath, entry.name)).length === 0)
        .map((entry) => {
          const path = join(entry.parentPath, entry.name)
          return [path.slice(home.length), entry.isFile() ? readFileSync(path, 'utf8') : '']
        })
        .sort(),
  }
}

const cursor = '.cursor/mcp.json'

describe('csp uninstall', () => {
  test('leaves a home as it was before csp', async () => {
    const { csp, all, home } = machine({
      [cursor]: '{ // mine\n  "mcpServers": {"a": {"url": "http://a"}}}',
      '.claude.json': '{"mcpServers": {}, "x": 1}',
      '.openclaw/openclaw.json': '{gateway: {port: 1}}',
      '.config/Code/User/settings.json': '{}',
      '.config/other': '',
      '.cache/other': '',
      '.local/state/other': '',
    })
    const managers = fakeManagers(home, { systemctl: 'exit 0', launchctl: 'exit 0' })
    const before = all()
    expect((await csp(['init', '--yes', '--no-search', '--serve', 'no'])).code).toBe(0)
    await csp(['setup', 'openclaw', '--yes'])
    await csp(['keys', 'add', 'phone'])
    await csp(['config', 'set', 'port', '9'])
    expect((await csp(['search', 'q'])).printed).toContain('https://a.example/')
    expect(readdirSync(join(home, '.local/state/csp')).toSorted()).toEqual(['memory', 'usage'])
    const receipts = join(home, '.local/state/csp/receipts')
    await replaceFile(join(receipts, `${'0'.repeat(32)}.json`), '{}')
    await replaceFile(join(receipts, `pages/${'0'.repeat(64)}.md`), 'text')
    for (const end of ['', '-wal', '-shm', '.damaged'])
      await replaceFile(join(home, `.local/state/csp/jobs/jobs.sqlite${end}`), '')
    if (process.platform === 'linux') await replaceFile(join(home, '.config/systemd/user/csp.service'), '[Unit]\n')

    const { code, printed } = await csp(['uninstall'], 'y', { PATH: managers.folder })
    expect(code).toBe(0)
    for (const word of ['Cursor', 'Claude Code', 'VS Code', 'OpenClaw', 'ledger', 'cache', 'keys']) {
      expect(printed).toContain(word)
    }
    if (process.platform === 'linux') {
      expect(managers.calls()[0]).toBe('systemctl --user disable --now csp')
      rmSync(join(home, '.config/systemd'), { recursive: true })
    }
    rmSync(managers.folder, { recursive: true })
    expect(all()).toEqual(before.filter(([path = '']) => !path.startsWith('/fakes')))
    expect((await csp(['uninstall'])).printed).toStartWith('csp has left nothing here.\n')
  })

  test('ends a csp that runs, and keeps the configuration where that is wanted', async () => {
    const { csp, home } = machine({ '.config/csp/config.json': '{}', [`.cache/csp/v1/aa/${'a'.repeat(64)}.json`]: '' })
    const child = Bun.spawn(['sleep', '60'])
    const state = join(home, '.local/state/csp')
    const about = { url: 'http://127.0.0.1:9', port: 9, version: '0', token: 't'.repeat(32), settings: '', flags: [] }
    await announceServer(state, { ...about, manager: 'background' })
    const [name = ''] = readdirSync(join(state, 'run'))
    const record = join(state, 'run', name)
    const text = { ...JSON.parse(readFileSync(record, 'utf8')), pid: child.pid, identity: identityOf(child.pid) }
    writeFileSync(record, JSON.stringify(text))
    const { code, printed } = await csp(['uninstall', '--yes', '--keep-config', '--json'])
    expect(code).toBe(0)
    await child.exited
    expect(child.signalCode).toBe('SIGTERM')
    const { removed, problems } = JSON.parse(printed)
    expect(problems).toEqual([])
    expect(removed.map(({ path }: { path: string }) => path)).toEqual([null, state, join(home, '.cache/csp')])
    expect(existsSync(state)).toBe(false)
    expect(existsSync(join(home, '.config/csp/config.json'))).toBe(true)
  })

  test('removes what is its own by name, and nothing else, from a folder that the settings name', async () => {
    const entry = `v1/ab/${'a'.repeat(64)}.json`
    const own = [
      ...['run/52480.json', 'run/52480-0a1b2c3d.json', 'run/52480.holders/1.json', 'log/csp.log', 'log/csp.log.1'],
      ...['usage/2026-01-01.ndjson', 'gateway/models.json', 'format.json'],
      ...[
        'log/csp.log.1.12.tmp',
        '.doctor-disk-12',
        'update.json',
        entry,
        `pages/${entry}`,
        `${entry}.12-0a1b2c3d-0.tmp`,
        '.doctor-12',
      ],
    ]
    const others = [
      ...[
        'mine.txt',
        'log/app.log',
        'log/2026/a.log',
        'run/a',
        'run/app.pid',
        'usage/report.ndjson',
        'usage/a/b.ndjson',
      ],
      ...['pages/index.html', 'pages/v1/index.html', 'v1/spec.md', 'v1/ab/x.json', 'gateway/models.json.mine'],
      ...['update.json.tmp', 'format.json/x', 'deep/run/52480.json'],
    ].filter((name) => !own.includes(name))
    const { csp, home } = machine(
      Object.fromEntries(
        [...own.filter((name) => name !== 'format.json'), ...others].map((name) => [`all/csp/${name}`, '']),
      ),
    )
    // State and cache in one.
    const cacheHome = join(home, 'all')
    const data = join(cacheHome, 'csp')
    const elsewhere = join(home, 'elsewhere')
    mkdirSync(join(elsewhere, '2.holders'), { recursive: true })
    writeFileSync(join(elsewhere, '2.holders/1.json'), '')
    writeFileSync(join(elsewhere, 'models.json'), '')
    symlinkSync(join(elsewhere, '2.holders'), join(data, 'run/2.holders'))
    symlinkSync(join(elsewhere, 'models.json'), join(data, 'run/3.json'))
    const more = { CSP_STATE_DIR: data, XDG_CACHE_HOME: cacheHome }
    expect((await csp(['uninstall', '--yes'], undefined, more)).code).toBe(0)
    for (const name of own) expect([name, existsSync(join(data, name))]).toEqual([name, name === 'format.json'])
    for (const name of [...others, 'run/2.holders/1.json', 'run/3.json']) {
      expect([name, existsSync(join(data, name))]).toEqual([name, true])
    }
    expect(existsSync(join(elsewhere, '2.holders/1.json'))).toBe(true)
    expect(existsSync(join(elsewhere, 'models.json'))).toBe(true)
  })

  test('follows no link: what it leads to stays, and csp says so', async () => {
    const { csp, home } = machine({ 'data/run/52480.json': '', 'data/keys.json': '' })
    const link = join(home, 'link')
    symlinkSync(join(home, 'data'), link)
    const { code, complaints } = await csp(['uninstall', '--yes'], undefined, { CSP_STATE_DIR: link })
    expect(code).toBe(1)
    expect(complaints).toContain(`${link}: It is a link to`)
    expect(existsSync(join(home, 'data/run/52480.json'))).toBe(true)
  })

  test('leaves files of others in the home folder, also of the same names, where that is the state folder', async () => {
    const mine = {
      ...{ '/format.json': '{"version":1,"width":80}', '/update.json': '[]', '/gateway/models.json': '{"mine":1}' },
      '/jobs/notes.txt': '',
    }
    const { csp, all, home } = machine(mine)
    writeFileSync(join(home, 'gateway/models.json.12-0a1b2c3d-0.tmp'), '')
    expect((await csp(['uninstall', '--yes'], undefined, { CSP_STATE_DIR: home })).code).toBe(0)
    expect(all()).toEqual(Object.entries(mine).sort())
  })

  test('removes the empty folder that the CLI ran in, but nothing that is in it', async () => {
    const name = `csp-${process.getuid?.() ?? 'user'}`
    const { csp, home } = machine({ [`tmp/${name}/work/mine.txt`]: 'x' })
    expect((await csp(['uninstall', '--yes'])).printed).toStartWith('csp has left nothing here.\n')
    rmSync(join(home, 'tmp', name, 'work/mine.txt'))
    expect((await csp(['uninstall', '--yes'])).printed).toContain(join(home, 'tmp', name))
    expect(existsSync(join(home, 'tmp', name))).toBe(false)
  })

  test('leaves later changes in the configuration of a client', async () => {
    const { csp, home } = machine({ [cursor]: '{}', '.openclaw/openclaw.json': '{}' })
    await csp(['init', '--yes', '--no-search', '--serve', 'no'])
    const file = join(home, cursor)
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{"later": 1,'))
    const openClaw = join(home, '.openclaw/openclaw.json')
    writeFileSync(openClaw, readFileSync(openClaw, 'utf8').replace('{', '{"later": 1,'))
    const { printed } = await csp(['uninstall', '--yes'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ later: 1 })
    expect(existsSync(`${file}.before-csp`)).toBe(false)
    expect(JSON.parse(readFileSync(openClaw, 'utf8'))).toEqual({ later: 1 })
    expect(printed).toContain('csp in the configuration of OpenClaw')
  })

  test('changes nothing without a yes', async () => {
    const { csp, all } = machine({ '.config/csp/config.json': '{' })
    const before = all()
    expect(await csp(['uninstall'])).toMatchObject({ code: 2 })
    const { code, printed, complaints } = await csp(['uninstall'], '')
    expect(code).toBe(0)
    expect(printed).toContain('Nothing was changed.')
    expect(complaints).toContain('is not JSON')
    expect(all()).toEqual(before)
  })
})

test('the CLI that csp fetched stays for the csp of the usual configuration', async () => {
  const cli = '.local/share/csp/claude-code/package.json'
  const { csp, home } = machine({ [cli]: '{}', '.config/csp/config.json': '{}', 'other/config.json': '{}' })
  const other = { CSP_CONFIG: join(home, 'other/config.json'), CSP_STATE_DIR: join(home, 'other/state') }
  expect(await csp(['uninstall', '--yes'], undefined, other)).toMatchObject({ code: 0 })
  expect(existsSync(join(home, cli))).toBe(true)
  expect(await csp(['uninstall', '--yes'])).toMatchObject({ code: 0 })
  expect(existsSync(join(home, cli))).toBe(false)
})
