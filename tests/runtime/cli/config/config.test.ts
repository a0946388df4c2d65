import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-config-command-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home with this configuration file, or without one. */
function machine(text?: string) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const file = join(home, '.config/csp/config.json')
  if (text !== undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: 0o644 })
  }
  return {
    home,
    file,
    read: () => readFileSync(file, 'utf8'),
    async csp(args: readonly string[], options: Partial<TestShellOptions> = {}) {
      const environment = { HOME: home, PATH: process.env['PATH'] ?? '', ...options.environment }
      const shell = testShell({ ...options, environment, directory: home })
      const code = await main(['config', ...args], shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

describe('csp config set', () => {
  test('makes a file that only its owner can read, with a schema beside it, and says where the setting is', async () => {
    const { csp, file, read } = machine()
    const { code, printed } = await csp(['set', 'cache-ttl', '2h'])
    expect(code).toBe(0)
    const line = read().split('\n').indexOf('  "cache-ttl": "2h"') + 1
    expect(line).toBe(3)
    expect(printed).toBe(`${file} line ${line}: cache-ttl is "2h".\n`)
    expect(JSON.parse(read())).toEqual({ $schema: './config.schema.json', 'cache-ttl': '2h' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file)).toSorted()).toEqual(['config.json', 'config.schema.json'].toSorted())
    expect((await csp(['--json'])).printed).toContain(`"value": 7200,\n      "origin": "${file} line ${line}"`)
  })

  test.each([
    [['port', '8080'], { port: 8080 }],
    [['--port=8080', 'port', '1'], undefined],
    [['CSP_PORT', '8080'], { port: 8080 }],
    [['searchModel', 'opus'], { 'search-model': 'opus' }],
    [['timeout', '90'], { timeout: 90 }],
    [['timeout', '90s'], { timeout: '90s' }],
    [['sandbox', 'on'], { sandbox: true }],
    [['allowed-hosts', 'a.example, b.example'], { 'allowed-hosts': ['a.example', 'b.example'] }],
    [['models', '{"gpt-x": {"effort": "fast"}}'], { models: { 'gpt-x': { effort: 'fast' } } }],
    [['rate', '1.5'], { rate: 1.5 }],
  ])('takes the words %j', async (words, expected) => {
    const { csp, read, file } = machine('{}')
    const { code, complaints } = await csp(['set', ...words])
    expect(code).toBe(expected ? 0 : 2)
    if (expected) expect(JSON.parse(read())).toEqual(expected)
    else expect(complaints).toBe('--port does not go with csp config set.\n')
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  test.each([
    [['prot', '1'], '"prot" is not a setting. Did you mean port?\n'],
    [['colour', '1'], '"colour" is not a setting. csp config lists the settings.\n'],
    [['port', 'x'], 'port must be a whole number from 0 to 65535, not "x"\n'],
    [['port'], 'Usage: csp config set port PORT\n'],
    [['sandbox'], 'Usage: csp config set sandbox true|false\n'],
    [[], 'Usage: csp config set NAME VALUE\n'],
    [['page', 'maybe'], 'page must be one of: on, off, not "maybe"\n'],
    [['models', '{"a": {"effort": "quick"}}'], 'models: a: effort '],
    [['backends', 'brave'], 'The backend brave needs a key: set BRAVE_API_KEY.\nNothing was changed.\n'],
    [['api-keys', 'sk-1'], 'api-keys is a secret, and other users of this machine can read a command line.'],
  ])('refuses the words %j and leaves the file', async (words, message) => {
    const { csp, read } = machine('{"model": "haiku"}')
    const { code, complaints } = await csp(['set', ...words])
    expect(code).toBe(2)
    expect(complaints).toStartWith(message)
    expect(read()).toBe('{"model": "haiku"}')
  })

  test('asks for a secret on a terminal, otherwise reads standard input, and never shows it', async () => {
    const { csp, read } = machine('{}')
    const asked = await csp(['set', 'BRAVE_API_KEY'], { reply: 'typed-secret' })
    expect(asked).toMatchObject({ code: 0, complaints: '' })
    expect(read()).toContain('"BRAVE_API_KEY": "typed-secret"')
    const piped = await csp(['set', 'BRAVE_API_KEY'], { input: 'piped-secret\n' })
    expect(piped.printed).toEndWith('BRAVE_API_KEY is set.\n')
    expect(read()).toContain('"BRAVE_API_KEY": "piped-secret"')
    const wrong = await csp(['set', 'BRAVE_API_KEY'], { input: 'two secrets\n' })
    const none = await csp(['set', 'BRAVE_API_KEY'])
    expect(none.complaints).toBe('No value was given. BRAVE_API_KEY stays as it was.\n')
    expect(JSON.stringify([asked, piped, wrong])).not.toContain('secret"')
    expect(wrong.complaints).toBe('BRAVE_API_KEY must be a key without spaces\n')
  })

  test('says that a variable of the terminal wins', async () => {
    const { csp } = machine('{}')
    const { printed } = await csp(['set', 'port', '1'], { environment: { CSP_PORT: '2' } })
    expect(printed).toEndWith('CSP_PORT is set in this terminal, and wins over the file.\n')
  })

  test('writes through a symbolic link', async () => {
    const { csp, file, home } = machine()
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(join(home, 'dotfile'), '{}')
    symlinkSync(join(home, 'dotfile'), file)
    await csp(['set', 'port', '1'])
    expect(readFileSync(join(home, 'dotfile'), 'utf8')).toContain('"port": 1')
    expect(statSync(file).isFile()).toBe(true)
  })

  test('mends a file with a wrong value, and names what is still wrong', async () => {
    const { csp, file, read } = machine('{"port": "x", "jobs": "y"}')
    const first = await csp(['set', 'port', '1'])
    expect(first).toMatchObject({
      code: 0,
      complaints: `${file} line 1: "jobs" must be a whole number from 0 to 100, not "y"\n`,
    })
    expect(await csp(['unset', 'jobs'])).toMatchObject({ code: 0, complaints: '' })
    expect(JSON.parse(read())).toEqual({ port: 1 })
    writeFileSync(file, '{"port": }')
    expect((await csp(['set', 'port', '1'])).complaints).toContain('is not JSON. Line 1: a value is missing.')
  })
})

describe('csp config unset', () => {
  test('takes a setting out, also one that is none, and says where it was not set', async () => {
    const { csp, file, read } = machine('{\n  "port": 1,\n  "prot": 2\n}')
    expect((await csp(['unset', 'port'])).printed).toBe(`${file}: port is no longer set.\n`)
    expect((await csp(['unset', 'prot'])).printed).toBe(`${file}: prot is no longer set.\n`)
    expect(read().replaceAll(/\s/g, '')).toBe('{}')
    expect((await csp(['unset', 'port'])).printed).toBe(`port is not set in ${file}.\n`)
    expect((await csp(['unset', 'colour'])).code).toBe(2)
    expect(JSON.parse((await csp(['unset', 'port', '--json'])).printed)).toEqual({
      path: file,
      name: 'port',
      changed: false,
    })
  })
})

describe('csp config init and path', () => {
  test('make a file once, and name the file also where it is wrong', async () => {
    const { csp, file, read } = machine()
    expect((await csp(['path', '--json'])).printed).toBe(`${JSON.stringify({ path: file, found: false })}\n`)
    expect(await csp(['init'])).toMatchObject({ code: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const made = read()
    expect(await csp(['init'])).toMatchObject({ code: 2, complaints: `${file} is there already: csp config edit\n` })
    expect(read()).toBe(made)
    writeFileSync(file, '{')
    expect(await csp(['path'])).toMatchObject({ code: 0, printed: `${file}\n` })
    expect(await csp([])).toMatchObject({ code: 2 })
  })
})

describe('csp config edit', () => {
  /** An editor that appends its words to what it is given, one call after the other. */
  function editor(home: string, ...scripts: readonly string[]): { EDITOR: string } {
    scripts.forEach((body, index) => {
      writeFileSync(join(home, `edit-${index}`), body)
    })
    const program = join(home, 'editor')
    writeFileSync(
      program,
      `#!/bin/sh\nn=$(cat '${home}/n' 2>/dev/null || echo 0)\necho $((n+1)) >'${home}/n'\n. '${home}'/edit-$n\n`,
    )
    chmodSync(program, 0o755)
    return { EDITOR: program }
  }

  test('opens a new file where there is none, and writes what csp can start with', async () => {
    const { csp, home, file, read } = machine()
    const environment = editor(home, `sed -i.bak 's|^{|{"port": 8080,|' "$1"`)
    expect(await csp(['edit'], { environment: { HOME: home, ...environment } })).toMatchObject({
      code: 0,
      printed: `${file} is written.\n`,
    })
    expect(read()).toContain('"port": 8080,\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('opens again for what is wrong, and leaves the file when that is given up', async () => {
    const { csp, home, read } = machine('{"port": 1}')
    const environment = {
      HOME: home,
      ...editor(home, `echo '{"port": "x"}' >"$1"`, `echo '{"port": 2}' >"$1"`, `echo '{' >"$1"`, 'exit 0', 'exit 3'),
    }
    const right = await csp(['edit'], { environment, reply: 'y' })
    expect(right.complaints).toContain('line 1: "port" must be a whole number')
    expect(read()).toBe('{"port": 2}\n')
    const given = await csp(['edit'], { environment, reply: 'n' })
    expect(given).toMatchObject({ code: 1 })
    expect(read()).toBe('{"port": 2}\n')
    expect((await csp(['edit'], { environment })).printed).toBe('Nothing was changed.\n')
    expect(await csp(['edit'], { environment })).toMatchObject({ code: 2 })
  })

  test('needs an editor that somebody named, or a terminal', async () => {
    const { csp, file } = machine()
    expect((await csp(['edit'])).complaints).toBe(`Not a terminal: set EDITOR, or edit ${file} yourself.\n`)
  })

  test.skipIf(process.platform === 'win32')('takes nano or vi of a terminal, as far as they are there', async () => {
    const { csp, home, file, read } = machine('{"port": 1}')
    const on = (PATH: string) => csp(['edit'], { isTerminal: true, environment: { PATH, EDITOR: '' } })
    const none = `There is no editor: set EDITOR, or edit ${file} yourself.`
    expect((await on(home)).complaints.replaceAll(/\s+/g, ' ').trim()).toBe(none)
    for (const [name, port] of [
      ['vi', 2],
      ['nano', 3],
    ] as const) {
      writeFileSync(join(home, name), `#!/bin/sh\necho '{"port": ${port}}' >"$1"\n`, { mode: 0o755 })
      const { code, printed } = await on(home)
      // A long path has a line of its own on a terminal.
      expect([code, printed.replaceAll(/\s+/g, ' ').trim()]).toEqual([0, `${file} is written.`])
      expect(read()).toBe(`{"port": ${port}}\n`)
    }
  })

  test('makes no file where nothing was written, and takes an answer with spaces', async () => {
    const { csp, file, home } = machine()
    const unchanged = await csp(['edit'], { environment: { EDITOR: 'true', VISUAL: '' } })
    expect([unchanged.printed, existsSync(file)]).toEqual(['Nothing was changed.\n', false])
    const wrong = editor(home, `echo '{' >"$1"`, 'exit 7')
    expect(await csp(['edit'], { environment: wrong, reply: ' n ' })).toMatchObject({ code: 1 })
    expect(await csp(['edit'], { environment: { ...wrong, VISUAL: 'true' } })).toMatchObject({ code: 0 })
    expect((await csp(['edit'], { environment: wrong })).complaints).toContain(
      'ended with code 7. Nothing was changed.',
    )
  })
})

test('csp config get prints one value, --set-only what is set, and set remarks on an odd model', async () => {
  const home = mkdtempSync(join(scratch, 'get-'))
  const run = async (...args: readonly string[]) => {
    const shell = testShell({ environment: { HOME: home, CSP_MODEL: 'haiku' }, directory: home })
    return { code: await main(['config', ...args], shell), printed: shell.printed() }
  }
  expect(await run('get', 'model')).toEqual({ code: 0, printed: 'haiku\n' })
  expect((await run('get', 'port', '--json')).printed).toBe('52480\n')
  expect((await run('get', 'model', '--json')).printed).toBe('"haiku"\n')
  expect((await run('get', 'api-keys', '--json')).printed).toBe('[]\n')
  expect((await run('get', 'modle')).code).toBe(2)
  expect((await run('--set-only')).printed).toStartWith('Set\n  model  haiku  CSP_MODEL\n\n')
  expect(Object.keys(JSON.parse((await run('--set-only', '--json')).printed).settings)).toEqual(['model'])
  expect((await run('set', 'model', 'gpt-9')).printed).toMatch(/"gpt-9".*haiku.*claude-/s)
  expect((await run('set', 'model', 'opus')).printed).not.toContain('sonnet')
})
