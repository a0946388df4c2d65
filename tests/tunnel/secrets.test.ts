import { expect, test } from 'bun:test'
import { homeSecrets } from '../../src/tunnel/secrets.ts'

const shared = 'one-secret-for-all-homes'
const own = 'a-secret-of-the-desk'

test('a home that has a secret of its own has no other, and all others have the one for all', () => {
  const secretOf = homeSecrets({ CSP_CONNECT_SECRET: shared, CSP_HOME_SECRETS: `desk=${own}, attic=x=${own}==` })
  expect(secretOf).toBeFunction()
  if (typeof secretOf === 'string') return
  expect(['desk', 'attic', 'cellar'].map(secretOf)).toEqual([own, `x=${own}==`, shared])
})

test('without a secret for all only the homes that are listed have one', () => {
  const secretOf = homeSecrets({ CSP_HOME_SECRETS: `desk=${own}` })
  expect(secretOf).toBeFunction()
  if (typeof secretOf === 'string') return
  expect(['desk', 'cellar', ''].map(secretOf)).toEqual([own, undefined, undefined])
})

test.each([{}, { CSP_CONNECT_SECRET: 'short' }, { CSP_CONNECT_SECRET: '', CSP_HOME_SECRETS: ' , ' }])(
  'without any usable secret nobody is let in: %j',
  (variables) => {
    expect(homeSecrets(variables)).toBe('no-secret')
  },
)

test.each([own, 'desk=short', `=${own}`, `a/b=${own}`, `desk=${own},desk=${own}2`, `desk=${own},attic`])(
  'a list of secrets that cannot be read closes the edge, so that no home uses the secret for all instead: %s',
  (list) => {
    expect(homeSecrets({ CSP_CONNECT_SECRET: shared, CSP_HOME_SECRETS: list })).toBe('malformed-secrets')
  },
)

test('sixteen characters are enough for either secret, and fifteen are not', () => {
  const [enough, short] = ['x'.repeat(16), 'x'.repeat(15)]
  for (const variables of [{ CSP_CONNECT_SECRET: enough }, { CSP_HOME_SECRETS: `desk=${enough}` }]) {
    const secretOf = homeSecrets(variables)
    expect(typeof secretOf === 'function' && secretOf('desk')).toBe(enough)
  }
  expect(homeSecrets({ CSP_CONNECT_SECRET: short })).toBe('no-secret')
  expect(homeSecrets({ CSP_CONNECT_SECRET: shared, CSP_HOME_SECRETS: `desk=${short}` })).toBe('malformed-secrets')
})
