import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkClaude, checkCredentials, wrongBesideGateway } from '../../../../src/runtime/cli/doctor/check-claude.ts'

const probe = {
  binary: '/usr/bin/claude',
  flags: { known: new Set(['--print']), missing: [] },
  direct: { instructions: '' },
  signedIn: true,
} as unknown as Parameters<typeof checkClaude>[0]
const versionOf = (version: string | undefined) =>
  checkClaude({ ...probe, version }, undefined, 'Sign in.').find(({ check }) => check === 'version')

test.each([
  ['2.1.328', 'ok'],
  ['2.1.128', 'fail'],
  ['2.1.77', 'fail'],
  ['1.0.9', 'fail'],
  ['2.2.0', 'warn'],
  ['3.0.1', 'warn'],
  [undefined, 'fail'],
])('doctor takes a CLI of the version %s for %s', (version, status) => {
  expect(versionOf(version)).toMatchObject({ status, message: expect.stringContaining(version ?? 'version') })
})

test('doctor reports only that a program does not run, and nothing of its flags and login', () => {
  const problem = '/x/claude does not answer.'
  const nothing = { ...probe, version: undefined, flags: { known: new Set<string>(), missing: [] }, problem }
  expect(checkClaude(nothing, undefined, 'Sign in.')).toEqual([
    { status: 'fail', check: 'claude', message: problem, remedy: undefined, concernsClaude: true },
  ])
})

test('doctor reports no flags as present for a CLI that prints no help', () => {
  const silent = { ...probe, version: '2.1.328', flags: { known: new Set<string>(), missing: [] } }
  const flags = checkClaude(silent, undefined, 'Sign in.').find(({ check }) => check === 'flags')
  expect(flags).toMatchObject({ status: 'fail', message: expect.stringContaining('help') })
})

test('doctor names the flags that a CLI lacks', () => {
  const flagsOf = (...missing: string[]) =>
    checkClaude({ ...probe, flags: { known: new Set(['--print']), missing } }, undefined, 'Sign in.').find(
      ({ check }) => check === 'flags',
    )
  expect(flagsOf()).toMatchObject({ status: 'ok' })
  expect(flagsOf('--model', '--tools')).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/--model.*--tools/),
  })
})

test('doctor names the program to sign in with for a CLI that is signed out', () => {
  const signedOut = { ...probe, version: '2.1.328', signedIn: false }
  const login = checkClaude(signedOut, undefined, 'Run `/x/claude`.').find(({ check }) => check === 'login')
  expect(login).toMatchObject({ status: 'fail', remedy: 'Run `/x/claude`.' })
})

test('doctor says of a missing CLI where to correct its path, or what to do', () => {
  const missing = { ...probe, binary: undefined, problem: undefined }
  const claude = { check: 'claude', status: 'fail', concernsClaude: true }
  expect(checkClaude(missing, '/x/claude', 'Sign in.')).toMatchObject([
    { ...claude, message: expect.stringContaining('/x/claude'), remedy: expect.stringContaining('--claude-bin') },
  ])
  expect(checkClaude({ ...missing, problem: 'Get it.' }, undefined, 'Sign in.')).toMatchObject([
    { ...claude, remedy: 'Get it.' },
  ])
  expect(checkClaude(missing, undefined, 'Sign in.')[0]?.remedy).toContain('npm install')
  const beside = { status: 'warn', message: expect.stringContaining('/x/claude') }
  expect(wrongBesideGateway({ claudeBin: '/x/claude' }, {})).toMatchObject([beside])
  expect(wrongBesideGateway({ claudeBin: undefined }, {})).toEqual([])
})

describe('doctor on a CLI that is there', () => {
  const usable = { ...probe, version: '2.1.328' }
  const of = (more: Partial<typeof probe>) => checkClaude({ ...usable, ...more }, undefined, 'Sign in.')
  const summaryOf = (more: Partial<typeof probe>) =>
    of(more).map(({ status, check, message }) => `${status} ${check}: ${message}`)
  const right = ['ok claude: /usr/bin/claude', 'ok version: 2.1.328', 'ok flags: all present', 'ok web search: offered']

  test('says that all is right, and how it is signed in', () => {
    expect(summaryOf({})).toEqual([...right, 'ok login: signed in'])
    expect(of({}).some(({ concernsClaude, remedy }) => concernsClaude || remedy)).toBe(false)
    expect(summaryOf({ authMethod: 'oauth', subscription: 'max' }).at(-1)).toBe('ok login: signed in (oauth, max)')
    expect(summaryOf({ subscription: 'max' }).at(-1)).toBe('ok login: signed in (max)')
    expect(summaryOf({ signedIn: undefined }).at(-1)).toBe('warn login: unknown')
    expect(of({ signedIn: undefined }).at(-1)?.remedy).toContain('csp doctor --live')
  })

  test('warns where the search is not offered as a tool', () => {
    expect(summaryOf({ direct: false })[3]).toStartWith('warn web search: ')
  })

  test('shows another problem only where nothing else explains it', () => {
    expect(summaryOf({ problem: 'It broke.' })).toEqual([...right, 'ok login: signed in', 'fail probe: It broke.'])
    expect(summaryOf({ problem: 'It broke.', signedIn: false })).toEqual([...right, 'fail login: signed out'])
    expect(of({ problem: 'It broke.', version: '1.0.0' }).map(({ check }) => check)).not.toContain('probe')
  })
})

describe('doctor says what pays', () => {
  const home = mkdtempSync(join(tmpdir(), 'csp-check-claude-'))
  afterAll(() => rmSync(home, { recursive: true }))
  const folder = (settings: string) => {
    const path = mkdtempSync(join(home, 'claude-'))
    writeFileSync(join(path, 'settings.json'), settings)
    return { CLAUDE_CONFIG_DIR: path }
  }
  const key = { ANTHROPIC_API_KEY: 'k', HOME: home }
  const check = (auth: 'subscription' | 'api-key', environment: Readonly<Record<string, string>>) =>
    checkCredentials({ auth }, environment)

  test.each([
    ['subscription', { HOME: home }, 'ok', 'subscription', undefined],
    ['subscription', key, 'warn', 'ANTHROPIC_API_KEY', expect.stringContaining('--auth api-key')],
    ['api-key', key, 'ok', 'ANTHROPIC_API_KEY', undefined],
    ['api-key', { HOME: home }, 'fail', '--auth api-key', expect.stringContaining('ANTHROPIC_API_KEY')],
  ] as const)('with --auth %s and the variables %j', (auth, environment, status, word, remedy) => {
    const message = expect.stringContaining(word)
    expect(check(auth, environment)).toMatchObject({ status, message, ...(remedy && { remedy }) })
  })

  test('with a helper that knows a key, in the settings of the CLI', () => {
    const helper = 'apiKeyHelper in settings.json'
    expect(check('subscription', folder('{"apiKeyHelper": "x"}')).message).toEndWith(`: ${helper}`)
    for (const text of ['{}', 'null', '3', '{', '["apiKeyHelper"]'])
      expect(check('subscription', folder(text)).status).toBe('ok')
    mkdirSync(join(home, '.claude'))
    writeFileSync(join(home, '.claude/settings.json'), '{"apiKeyHelper": "x"}')
    expect(check('api-key', key).message).toEndWith(`ANTHROPIC_API_KEY, ${helper}`)
    rmSync(join(home, '.claude'), { recursive: true })
  })
})
