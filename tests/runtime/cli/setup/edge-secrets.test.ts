import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putSecrets } from '../../../../src/runtime/cli/setup/edge.ts'
import type { Wrangler } from '../../../../src/runtime/cli/setup/wrangler.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-secrets-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(scratch, 'edge-'))
})
const secretFile = () => join(folder, 'connect-secret')
const keyFile = () => join(folder, 'keys.json')

/** Puts secrets where these are already, and says which were sent. */
async function put(there: readonly string[], { isRenewed = false, fails = false } = {}) {
  const sent: Record<string, unknown> = {}
  const wrangler: Wrangler = {
    version: '4.0.0',
    name: 'wrangler',
    converse: async () => 0,
    async run([, command], { input } = {}) {
      if (command === 'list') return { code: 0, output: JSON.stringify(there.map((name) => ({ name }))), errors: '' }
      Object.assign(sent, JSON.parse(input ?? '{}'))
      return { code: fails ? 1 : 0, output: '', errors: '' }
    },
  }
  const shell = testShell({ environment: {}, directory: folder })
  const options = { shell, wrangler, file: 'wrangler.toml', folder, keyFile: keyFile(), isRenewed }
  const key = await putSecrets(options).catch((error: unknown) => error)
  return { sent, key, printed: shell.printed() }
}

test('a new Worker gets a key and a secret, which this machine keeps for itself', async () => {
  const { sent, key, printed } = await put([])
  expect(sent).toEqual({ CSP_API_KEYS: key, CSP_CONNECT_SECRET: expect.any(String) })
  expect(readFileSync(secretFile(), 'utf8')).toBe(`${sent['CSP_CONNECT_SECRET']}\n`)
  expect(statSync(secretFile()).mode & 0o777).toBe(0o600)
  expect(printed).toContain('CSP_API_KEYS, CSP_CONNECT_SECRET')
  for (const secret of Object.values(sent)) expect(printed).not.toContain(String(secret))
})

test('secrets that are there stay, unless they are renewed', async () => {
  await put([])
  const before = readFileSync(secretFile(), 'utf8')
  const there = ['CSP_API_KEYS', 'CSP_CONNECT_SECRET']
  expect(await put(there)).toMatchObject({ sent: {}, key: undefined })
  expect(readFileSync(secretFile(), 'utf8')).toBe(before)
  expect(Object.keys((await put(there, { isRenewed: true })).sent)).toEqual(there)
  expect(readFileSync(secretFile(), 'utf8')).not.toBe(before)
})

test('a secret whose copy is missing here is made again, alone', async () => {
  expect(Object.keys((await put(['CSP_API_KEYS', 'CSP_CONNECT_SECRET'])).sent)).toEqual(['CSP_CONNECT_SECRET'])
})

test('a secret that the Worker did not get leaves no copy', async () => {
  writeFileSync(secretFile(), 'old\n')
  expect((await put([], { fails: true })).key).toBeInstanceOf(Error)
  expect(existsSync(secretFile())).toBe(false)
})

test('the keys of this machine go along, and leave the Worker when they are gone here', async () => {
  const there = ['CSP_API_KEYS', 'CSP_CONNECT_SECRET', 'CSP_KEYS']
  writeFileSync(secretFile(), 'kept\n')
  expect((await put(there.slice(0, 2))).sent).toEqual({})
  expect((await put(there)).sent).toEqual({ CSP_KEYS: null })
  const keys = [{ name: 'phone', sha256: 'a'.repeat(64), created: '2026-01-01T00:00:00.000Z' }]
  writeFileSync(keyFile(), JSON.stringify({ version: 1, keys }))
  const { sent } = await put(there)
  expect(sent).toEqual({ CSP_KEYS: expect.stringContaining('phone') })
  expect(sent['CSP_KEYS']).not.toContain('\n')
  writeFileSync(keyFile(), '{')
  expect((await put(there)).key).toMatchObject({ message: expect.stringContaining('damaged') })
})
