import { expect, test } from 'bun:test'
import { configSchema } from 'librechat-data-provider'
import { libreChatAllowed } from '../../src/clients/programs/librechat.ts'
import { addressWithKey } from '../../src/clients/settings.ts'

test.each([
  ['http://127.0.0.1:52480', '127.0.0.1:52480'],
  ['http://host.docker.internal:52480', 'host.docker.internal:52480'],
  ['http://csp', 'csp:80'],
  ['http://[::1]:52480', '[::1]:52480'],
  ['http://192.168.1.10:8080', '192.168.1.10:8080'],
  ['https://csp.lan', 'csp.lan:443'],
])('LibreChat is allowed to call %s as %s, which its own schema takes', (url, allowed) => {
  expect(libreChatAllowed({ url })).toBe(allowed)
  const webSearch = { allowedAddresses: [allowed] }
  expect(configSchema.safeParse({ version: '1.3.1', webSearch }).error).toBeUndefined()
})

test.each(['https://csp.example.org', 'https://203.0.113.7', 'http://[2001:db8::1]:52480'])(
  'LibreChat needs no leave for %s, and would take none',
  (url) => expect(libreChatAllowed({ url })).toBeUndefined(),
)

test('a key stands in an address as HTTP libraries read it', () => {
  const { username, password, host } = new URL(addressWithKey({ url: 'http://127.0.0.1:1', key: 'a/b@c:d' }))
  expect([username, decodeURIComponent(password), host]).toEqual(['csp', 'a/b@c:d', '127.0.0.1:1'])
  expect(addressWithKey({ url: 'http://127.0.0.1:1' })).toBe('http://127.0.0.1:1')
})
