import { expect, test } from 'bun:test'
import { checkClaude } from '../../../../src/runtime/cli/doctor/check-claude.ts'

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
