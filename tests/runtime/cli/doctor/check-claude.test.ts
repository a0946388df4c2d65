import { expect, test } from 'bun:test'
import { checkClaude } from '../../../../src/runtime/cli/doctor/check-claude.ts'

const probe = {
  binary: '/usr/bin/claude',
  flags: { missing: [] },
  direct: { instructions: '' },
  signedIn: true,
} as unknown as Parameters<typeof checkClaude>[0]
const versionOf = (version: string | undefined) =>
  checkClaude({ ...probe, version }, undefined).find(({ check }) => check === 'version')

test('a CLI of the line that csp was tested with is fine', () => {
  expect(versionOf('2.1.77')).toMatchObject({ status: 'ok', message: '2.1.77' })
})

test.each(['2.2.0', '3.0.1', '1.0.9'])('a CLI of the version %s is a warning with a remedy', (version) => {
  expect(versionOf(version)).toMatchObject({ status: 'warn', message: expect.stringContaining(version) })
})

test('a CLI that does not tell its version is a failure', () => {
  expect(versionOf(undefined)).toMatchObject({ status: 'fail' })
})
