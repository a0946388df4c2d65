import { expect, test } from 'bun:test'
import { parseArguments } from '../../../src/runtime/cli/run-command.ts'

const command = (name: string) => ({ name, usage: '', options: {}, arguments: { minimum: 0, maximum: 0 } })

test('csp serve has -s for the simple log, and -d for what debugging needs', () => {
  const { flags } = parseArguments(command('serve'), ['-s', '-d', '--port', '8080'])
  expect(flags).toMatchObject({ 'log-format': 'simple', 'log-level': 'debug', port: '8080' })
})

test('No other command has them', () => {
  expect(() => parseArguments(command('search'), ['-s'])).toThrow('-s')
})
