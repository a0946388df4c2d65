import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { announceServer, createLocalToken } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-change-config-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home with this configuration file, or without one. */
function machine(text?: string) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const file = join(home, '.config/csp/config.json')
  if (text !== undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return {
    home,
    file,
    read: () => readFileSync(file, 'utf8'),
    async csp(line: string | readonly string[], options: Partial<TestShellOptions> = {}) {
      const shell = testShell({ directory: home, ...options, environment: { HOME: home, ...options.environment } })
      const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line
      const code = await main(['config', ...args], shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

describe('csp config', () => {
  test.each([
    ['colours', 'csp config does not know "colours". It knows get, set, unset, edit, init, path, prompts.'],
    ['get', 'Usage: csp config get NAME'],
    ['get a b', 'Usage: csp config get NAME'],
    ['set', 'Usage: csp config set NAME VALUE'],
    ['unset', 'Usage: csp config unset NAME'],
    ['unset a b', 'Usage: csp config unset NAME'],
    ['path x', 'Usage: csp config path'],
    ['init x y', 'Usage: csp config init'],
    ['edit x', 'Usage: csp config edit'],
    ['prompts x', 'Usage: csp config prompts'],
    ['unset port --port 1', '--port does not go with csp config unset.'],
    ['path --config x.json --sandbox', '--sandbox does not go with csp config path.'],
  ])('refuses %j', async (line, complaint) => {
    expect(await machine().csp(line)).toEqual({ code: 2, printed: '', complaints: `${complaint}\n` })
  })

  test('shows nothing as set at first, then all defaults by their group, and the file', async () => {
    const { csp, file } = machine()
    const { printed } = await csp('')
    expect(printed).toStartWith('Nothing is set.\n\nServer (defaults)\n')
    expect(printed).toEndWith(`\nfile: ${file} (no such file)\n`)
    expect(printed).toMatch(/^ {2}host +127\.0\.0\.1$/m)
    expect(printed).toMatch(/^ {2}claude-bin +-$/m)
    expect(printed).toMatch(/^ {2}api-keys +-$/m)
    expect(printed).toMatch(/^ {2}daily-searches +500$/m)
    expect(printed).toMatch(/^ {2}cache-ttl +1h$/m)
    expect((await csp('--set-only')).printed).toBe(`Nothing is set.\n\nfile: ${file} (no such file)\n`)
  })

  test('shows what is set with its place, and no secret', async () => {
    const { csp, file } = machine('{"port": 7, "BRAVE_API_KEY": "hush", "api-keys": ["a", "b"]}')
    const { printed, complaints } = await csp('--set-only')
    expect(printed).toBe(
      [
        'Set',
        `  port           7                  ${file} line 1`,
        `  api-keys       (hidden),(hidden)  ${file} line 1`,
      ]
        .concat([`  BRAVE_API_KEY  (hidden)           ${file} line 1`, '', `file: ${file}\n`])
        .join('\n'),
    )
    expect(complaints).toBe('')
    const { settings, file: about } = JSON.parse((await csp('--set-only --json')).printed)
    expect(about).toEqual({ path: file, found: true })
    expect(settings).toMatchObject({ port: { value: 7 }, 'api-keys': { value: ['(hidden)', '(hidden)'] } })
    expect(Object.keys(settings)).toEqual(['port', 'api-keys', 'BRAVE_API_KEY'])
    expect((await csp('get BRAVE_API_KEY')).printed).toBe('(hidden)\n')
    expect((await csp('get api-keys --json')).printed).toBe('["(hidden)","(hidden)"]\n')
  })

  test('does not widen its column for what is longer than 48', async () => {
    const { csp } = machine()
    const long = 'm'.repeat(60)
    const lineOf = async (flags: string) =>
      (await csp(`--model ${flags} --set-only`)).printed.split('\n').find((line) => line.includes('port'))
    expect(await lineOf(`${long} --port 9`)).toBe(`  port   ${'9'.padEnd(48)}  --port`)
    expect((await csp(`get model --model ${long}`)).printed).toBe(`${long}\n`)
  })

  test('gets a value, its default or nothing, also with a flag beside it', async () => {
    const { csp } = machine()
    const get = async (line: string) => (await csp(`get ${line}`)).printed
    expect([await get('port'), await get('CSP_PORT')]).toEqual(['52480\n', '52480\n'])
    expect([await get('claude-bin'), await get('claude-bin --json')]).toEqual(['-\n', 'null\n'])
    expect([await get('daily-searches'), await get('port --port 9')]).toEqual(['500\n', '9\n'])
    expect(await get('allowedHosts')).toBe('-\n')
  })

  test('refuses a wrong file where it shows values, and not where it changes them', async () => {
    const { csp, file } = machine('{"port": "x"}')
    const complaint = `${file} line 1: "port" must be a whole number from 0 to 65535, not "x"\n`
    for (const line of ['', 'get port', 'prompts'])
      expect(await csp(line)).toMatchObject({ code: 2, complaints: complaint })
    expect((await csp('path')).printed).toBe(`${file}\n`)
    expect(await csp('unset port')).toMatchObject({ code: 0, printed: `${file}: port is no longer set.\n` })
  })

  test('prompts: says which model is told what', async () => {
    const { csp } = machine()
    const { printed } = await csp('prompts')
    expect([...printed.matchAll(/^# \w+: /gm)].map(([line]) => line)).toEqual(
      ['results', 'sources', 'fast', 'standard', 'deep', 'plan', 'report', 'instructions'].map((name) => `# ${name}: `),
    )
    expect(printed).toEndWith('before those of the caller\n\n(none)\n')
    const of = async (flags: string) => JSON.parse((await csp(`prompts --json ${flags}`)).printed)
    const [auto, lines, none, off] = [
      await of(''),
      await of('--excerpts lines'),
      await of('--excerpts none'),
      await of('--pages off'),
    ]
    expect(auto.results).not.toBe(lines.results)
    expect([lines.results, none.results]).toEqual([off.results, auto.results])
    expect([auto.sources, none.sources]).toEqual([lines.sources, none.results])
    expect(none.sources).not.toBe(auto.sources)
  })
})

describe('csp config set', () => {
  test('says where the setting is, as JSON for a program', async () => {
    const { csp, file, read } = machine('{\n  "model": "haiku"\n}')
    const { code, printed } = await csp('set port 0 --json')
    expect([code, JSON.parse(printed)]).toEqual([0, { path: file, line: 3, name: 'port' }])
    expect((await csp('set search-model gpt-9')).printed).toMatch(/"gpt-9".*haiku.*claude-/s)
    expect((await csp('set search-model claude-next')).printed).not.toContain('haiku')
    expect((await csp('set default-language xx')).printed).toBe(`${file} line 5: default-language is "xx".\n`)
    expect(JSON.parse(read())).toMatchObject({ model: 'haiku', port: 0, 'default-language': 'xx' })
  })

  test.each([
    [['backends', '["claude"]'], { backends: ['claude'] }],
    [['backends', 'claude, parallel-free'], { backends: ['claude', 'parallel-free'] }],
    [['timeout', ' 90 '], { timeout: 90 }],
    [['model', ' opus '], { model: 'opus' }],
    [['plan-reserve', '20%'], { 'plan-reserve': '20%' }],
    [['sandbox', 'real'], { sandbox: 'real' }],
    [['model', 'null'], { model: 'null' }],
    [['sandbox', 'off'], { sandbox: false }],
  ])('writes %j as a person would', async (words, expected) => {
    const { csp, read } = machine('{}')
    expect((await csp(['set', ...words])).code).toBe(0)
    expect(JSON.parse(read())).toEqual(expected)
  })

  test.each([
    [['backends', '["claude","x"]'], 'backends: 1 must be some of '],
    [['port', 'true'], 'port must be a whole number from 0 to 65535, not "true"\n'],
    [
      ['connect-name', 'a b'],
      'connect-name must be up to 64 letters, digits, dots, dashes and underscores, not "a b"\n',
    ],
    [['port'], 'Usage: csp config set port PORT\n'],
    [['sandbox'], 'Usage: csp config set sandbox true|false\n'],
  ])('refuses %j', async (words, complaint) => {
    const { csp, read } = machine('{}')
    const { code, complaints } = await csp(['set', ...words])
    expect([code, complaints]).toEqual([2, expect.stringContaining(complaint)])
    expect(read()).toBe('{}')
  })

  test('asks for a secret, or reads it, and takes none from the command line', async () => {
    const { csp, file, read } = machine('{}')
    const set = (options: Partial<TestShellOptions>) => csp('set BRAVE_API_KEY', options)
    const asked = await set({ reply: ' typed ', input: 'piped' })
    expect(asked).toEqual({
      code: 0,
      complaints: '',
      printed: `BRAVE_API_KEY (not shown): ${file} line 2: BRAVE_API_KEY is set.\n`,
    })
    expect(JSON.parse(read())).toEqual({ BRAVE_API_KEY: 'typed' })
    expect((await set({ input: 'piped\n' })).printed).toEndWith('BRAVE_API_KEY is set.\n')
    expect(JSON.parse(read())).toEqual({ BRAVE_API_KEY: 'piped' })
    expect(await set({ input: ' \n' })).toMatchObject({
      code: 2,
      complaints: 'No value was given. BRAVE_API_KEY stays as it was.\n',
    })
    expect((await csp('set BRAVE_API_KEY given')).complaints).toStartWith('BRAVE_API_KEY is a secret, and other users')
    expect((await set({ input: 'two words' })).complaints).toBe('BRAVE_API_KEY must be a key without spaces\n')
    expect(JSON.parse(read())).toEqual({ BRAVE_API_KEY: 'piped' })
  })

  test('says which csp still runs with the former settings', async () => {
    const { csp, home, file } = machine('{}')
    const record = {
      url: 'http://127.0.0.1:8123',
      port: 8123,
      version: '0',
      token: createLocalToken(),
      settings: '',
      flags: [],
    }
    const { end } = await announceServer(join(home, '.local/state/csp'), { ...record, manager: 'background' })
    const running = 'csp at http://127.0.0.1:8123 runs with the former settings: csp restart\n'
    expect((await csp('set port 1')).printed).toBe(`${file} line 2: port is 1.\n${running}`)
    expect((await csp('unset port')).printed).toBe(`${file}: port is no longer set.\n${running}`)
    await end()
    expect((await csp('set port 1')).printed).not.toContain('restart')
  })

  test('makes the folder and the file where there are none', async () => {
    const { csp, file } = machine()
    expect(JSON.parse((await csp('init --json')).printed)).toEqual({ path: file, created: true })
    expect(existsSync(join(dirname(file), 'config.schema.json'))).toBe(true)
    expect((await csp('init')).complaints).toBe(`${file} is there already: csp config edit\n`)
    const plain = machine('{}')
    await plain.csp('set port 1')
    expect(existsSync(join(dirname(plain.file), 'config.schema.json'))).toBe(false)
  })

  test('leaves a file that csp would not start with any more, unless it does not do so already', async () => {
    const { csp, read } = machine('{"backends": "claude"}')
    const refused = await csp('set excerpts pages', { environment: { CSP_PAGES: 'off' } })
    expect(refused).toMatchObject({
      code: 2,
      complaints: 'Excerpts from pages need --pages search or on.\nNothing was changed.\n',
    })
    expect(read()).toBe('{"backends": "claude"}')
  })
})

describe('csp config unset', () => {
  test('says that a variable still sets it', async () => {
    const { csp } = machine('{"port": 1}')
    const environment = { CSP_PORT: '2' }
    expect((await csp('unset CSP_PORT', { environment })).printed).toEndWith(
      'CSP_PORT is set in this terminal, and wins over the file.\n',
    )
    expect((await csp('unset port')).printed).toContain('port is not set in ')
    expect(JSON.parse((await csp('unset port --json')).printed)).toMatchObject({ name: 'port', changed: false })
    expect(await machine().csp('unset colour')).toMatchObject({ code: 2 })
    expect(JSON.parse((await machine('{"port": 1}').csp('unset port --json')).printed)).toMatchObject({ changed: true })
  })
})
