import { expect, test } from 'bun:test'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'
import { refuseOpenAddress } from '../../../src/runtime/server/server.ts'

/** What is said of these addresses, hosts, keys and named keys. */
function refusal(host: string[], allowedHosts: string[] = [], apiKeys: string[] = [], named: readonly unknown[] = []) {
  try {
    refuseOpenAddress({ host, allowedHosts, apiKeys }, named)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return error instanceof Error ? error.message : undefined
  }
}

const advice = [
  'Create one and start again:',
  '  csp keys add NAME',
  'Clients send it as "Authorization: Bearer KEY", "x-api-key" or "X-Subscription-Token".',
].join('\n')

test('without a key csp listens beyond loopback for nobody, and says what to do', () => {
  expect(refusal(['127.0.0.1', '192.0.2.1'], ['search.example'])).toBe(
    `Anyone who can reach 192.0.2.1 could use your subscription, so csp listens there only with keys.\n${advice}`,
  )
  expect(refusal(['127.0.0.1'], ['localhost', 'search.example:443'])).toBe(
    `--allowed-hosts lets anyone who can reach search.example:443 use your subscription, so csp needs a key for it.\n${advice}`,
  )
})

test.each([
  [['127.0.0.1'], [], [], [], false],
  [['192.0.2.1'], [], ['k'.repeat(16)], [], false],
  [['192.0.2.1'], [], ['k'.repeat(15)], [], true],
  [['192.0.2.1'], [], ['k'.repeat(16), 'k'.repeat(15)], ['named'], true],
  [['192.0.2.1'], [], [], ['named'], false],
  [['127.0.0.1'], ['search.example'], [], ['named'], false],
  [['127.0.0.1'], ['localhost:1'], ['short'], [], false],
] as const)('listening on %j for %j with the keys %j and %j is refused: %p', (host, hosts, keys, named, isRefused) => {
  expect(refusal([...host], [...hosts], [...keys], named) !== undefined).toBe(isRefused)
  if (isRefused)
    expect(refusal([...host], [...hosts], [...keys], named)).toBe(
      'A key of fewer than 16 characters can be guessed, so csp does not take it where 192.0.2.1 can be reached. csp keys add NAME makes one.',
    )
})
