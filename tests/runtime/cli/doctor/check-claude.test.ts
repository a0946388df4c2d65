import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkClaude, checkCredentials, missingBesideGateway } from '../../../../src/runtime/cli/doctor/check-claude.ts'

const probe = {
  binary: '/usr/bin/claude',
  flags: { known: new Set(['--print']), missing: [] },
  direct: { instructions: '' },
  signedIn: true,
} as unknown as Parameters<typeof checkClaude>[0]
const versionOf = (version: string | undefined) =>
  checkClaude({ ...probe, version }, undefined, 'Sign in.').find(({ check }) => check === 'version')

test('doctor accepts a CLI of the tested release line', () => {
  expect(versionOf('2.1.328')).toMatchObject({ status: 'ok', message: '2.1.328' })
})

test.each(['2.1.128', '2.1.77', '1.0.9'])('doctor fails on a CLI of the version %s, signed in or not', (version) => {
  expect(versionOf(version)).toMatchObject({ status: 'fail', message: expect.stringContaining('is too old') })
})

test.each(['2.2.0', '3.0.1'])('doctor warns of a CLI of the version %s and names a remedy', (version) => {
  expect(versionOf(version)).toMatchObject({ status: 'warn', message: expect.stringContaining(version) })
})

test('doctor fails on a CLI that does not report its version', () => {
  expect(versionOf(undefined)).toMatchObject({ status: 'fail' })
})

test.each([
  ['hangs', '/x/claude does not answer: it ran for 10 s without a word. Update it.'],
  ['exits', '/x/claude does not run as the Claude Code CLI. Update it.'],
])('doctor reports only that a program %s, and nothing of its flags and login', (_, problem) => {
  const nothing = { ...probe, version: undefined, flags: { known: new Set<string>(), missing: [] }, problem }
  expect(checkClaude(nothing, undefined, 'Sign in.')).toEqual([
    { status: 'fail', check: 'claude', message: problem, remedy: undefined, concernsClaude: true },
  ])
})

test('doctor reports no flags as present for a CLI that prints no help', () => {
  const silent = { ...probe, version: '2.1.328', flags: { known: new Set<string>(), missing: [] } }
  const flags = checkClaude(silent, undefined, 'Sign in.').find(({ check }) => check === 'flags')
  expect(flags).toMatchObject({ status: 'fail', message: 'the CLI does not print its help' })
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
  const claude = { check: 'claude', concernsClaude: true }
  expect(checkClaude(missing, '/x/claude', 'Sign in.')).toMatchObject([
    { ...claude, message: '/x/claude is not a program', remedy: 'Correct --claude-bin, or leave it out.' },
  ])
  expect(checkClaude({ ...missing, problem: 'Get it.' }, undefined, 'Sign in.')).toMatchObject([
    { ...claude, status: 'fail', message: 'not found', remedy: 'Get it.' },
  ])
  expect(checkClaude(missing, undefined, 'Sign in.')[0]?.remedy).toStartWith('Update it with `npm install')
  expect(missingBesideGateway('/x/claude')).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(/^\/x\/claude is not a program; searches/),
  })
  expect(missingBesideGateway(undefined)).toMatchObject({
    status: 'ok',
    message: 'none: searches need the CLI, the gateway does not',
  })
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
    expect(of({ signedIn: undefined }).at(-1)?.remedy).toBe('Try `csp doctor --live`.')
  })

  test('warns where the search is not offered as a tool', () => {
    expect(summaryOf({ direct: false })[3]).toStartWith('warn web search: not offered as a tool')
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
  const check = (auth: 'subscription' | 'api-key', environment: Readonly<Record<string, string>>) => {
    const { status, message, remedy } = checkCredentials({ auth }, environment)
    return [status, message, remedy]
  }

  test.each([
    ['subscription', { HOME: home }, 'ok', 'the subscription pays', undefined],
    [
      'subscription',
      key,
      'warn',
      'the subscription pays; set and ignored: ANTHROPIC_API_KEY',
      'No action needed. To pay with the key instead, use --auth api-key.',
    ],
    ['api-key', key, 'ok', '--auth api-key, with ANTHROPIC_API_KEY', undefined],
    [
      'api-key',
      { HOME: home },
      'fail',
      '--auth api-key, but no key is set',
      'Set ANTHROPIC_API_KEY, or leave --auth out to use your login.',
    ],
  ] as const)('with --auth %s and the variables %j', (auth, environment, status, message, remedy) => {
    expect(check(auth, environment)).toEqual([status, message, remedy])
  })

  test('with a helper that knows a key, in the settings of the CLI', () => {
    const ignored = 'the subscription pays; set and ignored: apiKeyHelper in settings.json'
    expect(check('subscription', folder('{"apiKeyHelper": "x"}'))[1]).toBe(ignored)
    for (const text of ['{}', 'null', '3', '{', '["apiKeyHelper"]'])
      expect(check('subscription', folder(text))[0]).toBe('ok')
    mkdirSync(join(home, '.claude'))
    writeFileSync(join(home, '.claude/settings.json'), '{"apiKeyHelper": "x"}')
    expect(check('api-key', key)[1]).toBe('--auth api-key, with ANTHROPIC_API_KEY, apiKeyHelper in settings.json')
    rmSync(join(home, '.claude'), { recursive: true })
  })
})
