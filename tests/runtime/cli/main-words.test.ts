import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchError } from '../../../src/domain/error.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { Interrupted, UsageError } from '../../../src/runtime/config/usage-error.ts'
import { version } from '../../../src/runtime/version.ts'
import { testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-main-words-'))
afterAll(() => rmSync(home, { recursive: true }))

async function csp(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const shell = testShell({ environment: { HOME: home, ...environment }, directory: home })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

describe('what a command throws', () => {
  /** csp with a command that throws it, on a terminal of 40 columns. */
  async function throwing(error: unknown) {
    const shell = testShell({ environment: {}, directory: home, isTerminal: true })
    const output = {
      ...shell.output,
      write() {
        throw error
      },
    }
    const code = await main(['--version'], { ...shell, output, errors: { ...shell.errors, columns: 40 } })
    return { code, complaints: shell.complaints() }
  }
  const ofSystem = (more: object) => Object.assign(new Error('no room in /x'), more)
  const long = 'Some words that take more than forty columns of it'
  const broken = 'Some words that take more than forty\ncolumns of it\n'

  test.each([
    ['a wrong use', new UsageError(long), 2, broken],
    ['a failed search', new SearchError('busy', long), 1, broken],
    ['Ctrl-C in another program', new Interrupted('The login was stopped.'), 130, '\nThe login was stopped.\n'],
    [
      'a full disk',
      ofSystem({ code: 'ENOSPC', path: '/x' }),
      1,
      'csp cannot use a file that it needs: no\nroom in /x. csp doctor says more.\n',
    ],
  ])('is explained, and decides the exit code: %s', async (_, error, code, complaints) => {
    expect(await throwing(error)).toEqual({ code, complaints })
  })

  test.each([
    ['an error without a path', ofSystem({ code: 'ENOSPC' })],
    ['an error without a code', ofSystem({ path: '/x' })],
    ['a file that is not there', ofSystem({ code: 'ENOENT', path: '/x' })],
    ['what is no error', { code: 'ENOSPC', path: '/x', message: 'no room' }],
    ['any other error', new TypeError('of csp')],
  ])('is thrown on where it is a fault of csp: %s', async (_, error) => {
    const thrown = await throwing(error).catch((each: unknown) => each)
    expect(thrown).toBe(error)
  })
})

test('words with spaces around them are a command and no question', async () => {
  expect((await csp([' serach '])).complaints).toStartWith('csp has no command " serach ".')
  expect((await csp(['what is', '--format', 'xml'])).complaints).toStartWith('--format must be one of:')
})

test.each(['constructor', 'toString'])('%s is a command like any other that csp does not have', async (name) => {
  expect(await csp([name])).toMatchObject({ code: 2, complaints: expect.stringContaining('csp has no command') })
})

test('open is status --open', async () => {
  expect(await csp(['open', '--xyzzy'])).toMatchObject({
    code: 2,
    complaints: expect.stringContaining('csp status has no flag --xyzzy'),
  })
  expect((await csp(['open', '--help'])).printed).toBe((await csp(['status', '--help'])).printed)
})

test('--help-all alone shows all settings of csp serve, and --help the commands', async () => {
  const all = await csp(['--help-all'])
  expect(all).toEqual(await csp(['serve', '--help-all']))
  expect(all.printed.length).toBeGreaterThan((await csp(['serve', '--help'])).printed.length)
  expect((await csp(['--port', '1', '--help'])).printed).toBe((await csp(['serve', '--help'])).printed)
  expect((await csp(['-V'])).printed).toBe(`${version}\n`)
})

test('a page is no wider than 110 columns', async () => {
  const shell = testShell({ environment: {}, directory: home })
  await main(['serve', '--help-all'], { ...shell, output: { ...shell.output, columns: 500 } })
  const widest = Math.max(
    ...shell
      .printed()
      .split('\n')
      .map(({ length }) => length),
  )
  expect(widest).toBeGreaterThan(90)
  expect(widest).toBeLessThanOrEqual(110)
})

describe('a command behind its flags', () => {
  test('is none where -- stands before it, or the word is the value of --config', async () => {
    expect((await csp(['--sandbox', '--', 'config'])).complaints).toBe('csp serve takes no argument "config".\n')
    expect((await csp(['config', '--', '--help'])).complaints).toContain('csp config does not know "--help"')
    expect((await csp(['--config', 'search', 'x'])).complaints).toStartWith('csp has no command "x".')
    expect((await csp(['--sandbox', 'config', '--', '--help'])).complaints).toContain(
      'csp config does not know "--help"',
    )
    expect((await csp(['--config', 'x.json', 'config', 'path'])).printed).toBe(join(home, 'x.json\n'))
  })

  test('is asked for its help', async () => {
    expect((await csp(['--port', '1', 'keys', '--help'])).printed).toBe((await csp(['keys', '--help'])).printed)
  })
})

describe('csp alone on a terminal', () => {
  /** The name of the command that runs, by what is wrong with its flags; on a terminal in both directions. */
  async function runs(environment: Readonly<Record<string, string>>, isTerminal = true, isTTY = true) {
    const shell = testShell({ environment: { PATH: '', ...environment }, directory: '/', isTerminal })
    const before = Object.getOwnPropertyDescriptor(process.stdin, 'isTTY')
    Object.defineProperty(process.stdin, 'isTTY', { value: isTTY, configurable: true })
    try {
      // A terminal that does not answer ends csp init; csp serve refuses its address.
      await main([], { ...shell, environment: { ...shell.environment } })
    } finally {
      if (before) Object.defineProperty(process.stdin, 'isTTY', before)
      else Reflect.deleteProperty(process.stdin, 'isTTY')
    }
    return /Setting up csp/.test(shell.printed()) ? 'init' : 'serve'
  }
  /** A home whose configuration has csp serve refuse to start. */
  function homeWith(...names: readonly string[]) {
    const HOME = mkdtempSync(join(home, 'home-'))
    for (const name of names) {
      mkdirSync(join(HOME, name, '..'), { recursive: true })
      writeFileSync(join(HOME, name), '{"host": "192.0.2.1"}')
    }
    return HOME
  }
  const refused = { CSP_HOST: '192.0.2.1' }

  test('is csp init where nothing is set up, and csp serve otherwise', async () => {
    expect(await runs({ HOME: homeWith() })).toBe('init')
    expect(await runs({ HOME: homeWith(), CSP_NODE: '/usr/bin/node', CSP_RUNNER: 'npx' })).toBe('init')
    expect(await runs({ HOME: homeWith(), ...refused })).toBe('serve')
    expect(await runs({ HOME: homeWith('.config/csp/config.json') })).toBe('serve')
    // No server starts with such a file of keys.
    const sealed = { HOME: homeWith('.config/csp/keys.json') }
    expect(await runs(sealed)).toBe('init')
    expect(await runs(sealed, false, true)).toBe('serve')
    expect(await runs(sealed, true, false)).toBe('serve')
  })
})
