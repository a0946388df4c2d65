import { expect, test } from 'bun:test'
import { Engines } from '../../../../src/executor/backends/claude/engines.ts'
import { requestFor } from '../../../support/fake-executor.ts'

test('a usage limit is logged when its state changes, not each time the CLI mentions it', () => {
  const warnings: string[] = []
  const engines = new Engines({
    findBinary: () => undefined,
    environment: {},
    workingDirectory: '/nowhere',
    model: 'sonnet',
    excerpts: 'lines',
    maxSessionSearches: 1,
    sessionContext: 'clear',
    auth: 'subscription',
    version: '1.2.3',
    log: (level, message) => void (level === 'warning' && warnings.push(message)),
  })
  const { signal } = new AbortController()
  const turn = { request: requestFor('q'), tools: undefined, shape: undefined, signal, enough: signal }
  for (const status of ['allowed', 'allowed_warning', 'allowed_warning', 'rejected', 'rejected', 'allowed']) {
    engines.turn(turn, 'p').onRateLimit({ status, window: 'five_hour' })
  }
  expect(warnings).toEqual([
    'The usage limit of this subscription: five_hour allowed_warning.',
    'The usage limit of this subscription: five_hour rejected.',
  ])
})
