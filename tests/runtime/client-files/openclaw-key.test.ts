import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usualAddresses } from '../../../src/clients/snippets.ts'
import { knownClients } from '../../../src/runtime/client-files/known-clients.ts'
import { isRefused, keyFor, verdictOf } from '../../../src/runtime/client-files/openclaw-key.ts'
import { addKey } from '../../../src/runtime/server/key-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-openclaw-key-'))
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ url, headers }) {
    if (!url.endsWith('/v1/models')) return new Response('', { status: 500 })
    const key = headers.get('authorization')
    return new Response('', { status: key === 'Bearer good' ? 200 : key === null ? 401 : 403 })
  },
})
const url = `http://127.0.0.1:${server.port}`
const closed = 'http://127.0.0.1:9'
afterAll(async () => {
  await server.stop(true)
  rmSync(scratch, { recursive: true })
})

let home: string
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'))
})
const keyFile = () => join(home, 'keys.json')

test('a server takes a key, refuses it, or is not there', async () => {
  expect(await verdictOf(url, 'good')).toBe('taken')
  expect(await verdictOf(url, 'bad')).toBe('refused')
  expect(await verdictOf(url, undefined)).toBe('refused')
  expect(await verdictOf(closed, 'good')).toBeUndefined()
})

test('a key is refused if the csp that runs says so; without one, if it has none and there are keys', async () => {
  const keys = { apiKeys: [], keyFile: keyFile() }
  expect(await isRefused({ url, key: 'good' }, keys)).toBe(false)
  expect(await isRefused({ url, key: 'bad' }, keys)).toBe(true)
  expect(await isRefused({ url: closed }, keys)).toBe(false)
  await addKey(keyFile(), 'phone')
  expect(await isRefused({ url: closed }, keys)).toBe(true)
  expect(await isRefused({ url: closed, key: 'any' }, keys)).toBe(false)
})

describe('the key that OpenClaw sends', () => {
  /** The key for an OpenClaw with this key for this address, where the settings have these. */
  async function chosen(has: { url: string; key?: string }, apiKeys: readonly string[], at = url, plugin = 'brave') {
    const entries = { [plugin]: { config: { webSearch: { baseUrl: has.url, apiKey: has.key } } } }
    mkdirSync(join(home, '.openclaw'), { recursive: true })
    writeFileSync(join(home, '.openclaw/openclaw.json'), JSON.stringify({ plugins: { entries } }))
    const client = knownClients({ HOME: home }, home).find(({ id }) => id === 'openclaw')
    if (!client) throw new Error('There is no OpenClaw.')
    return keyFor(client, usualAddresses({ url: at }), { apiKeys: [...apiKeys], keyFile: keyFile() })
  }

  test('stays the one that it has for this csp as long as that takes it, by either plugin', async () => {
    for (const plugin of ['brave', 'csp'])
      expect(await chosen({ url: `${url}/`, key: 'good' }, ['first'], url, plugin)).toBe('good')
    expect(await chosen({ url, key: 'bad' }, ['first', 'second'])).toBe('first')
    expect(await chosen({ url, key: 'bad' }, [])).toBe('bad')
  })

  test('is that of the settings where it has none for this csp, or for another one', async () => {
    expect(await chosen({ url }, ['first'])).toBe('first')
    expect(await chosen({ url: 'http://127.0.0.1:1', key: 'good' }, ['first'])).toBe('first')
    expect(await chosen({ url: 'http://127.0.0.1:1', key: 'good' }, [])).toBeUndefined()
  })

  test('is held to the keys of this machine while csp does not run', async () => {
    const { key } = await addKey(keyFile(), 'phone')
    expect(await chosen({ url: closed, key }, ['first'], closed)).toBe(key)
    expect(await chosen({ url: closed, key: 'second' }, ['first', 'second'], closed)).toBe('second')
    expect(await chosen({ url: closed, key: 'unknown' }, ['first'], closed)).toBe('first')
  })
})
