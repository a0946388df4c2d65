import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../src/runtime/cli/main.ts'
import { type CreditsCall, setupCredits } from '../../../src/runtime/cli/setup/credits.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { type TestShellOptions, testShell } from '../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-credits-'))
const seen: (string | null)[] = []
const api = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ headers, url }) {
    const key = headers.get('x-api-key')
    seen.push(`${new URL(url).pathname} ${key}`)
    if (key === 'sk-good') return Response.json({ data: [] })
    const error = { type: 'authentication_error', message: 'invalid x-api-key' }
    return Response.json({ type: 'error', error }, { status: 401 })
  },
})
afterAll(async () => {
  await api.stop(true)
  rmSync(folder, { recursive: true })
})

let home: string
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'))
  seen.length = 0
})
const path = () => join(home, '.config/csp/config.json')

async function credits(shown: Partial<TestShellOptions>, options: Partial<CreditsCall['options']> = {}) {
  const shell = testShell({ directory: home, ...shown, environment: { HOME: home, ...shown.environment } })
  const loaded = loadConfig({}, shell.environment, home)
  const given = { undo: false, yes: false, budget: undefined, ...options }
  const code = await setupCredits(
    { shell, loaded, flags: {}, arguments: ['credits'], options: given },
    `http://127.0.0.1:${api.port}`,
  )
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

const configured = () => loadConfig({}, { HOME: home }, home).config

describe('csp setup credits', () => {
  test('reads a key from standard input, tries it once, and keeps it where only the user can read it', async () => {
    const { code, printed, complaints } = await credits({ input: 'sk-good\n' }, { budget: 40 })
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(seen).toEqual(['/v1/models sk-good'])
    expect(configured()).toMatchObject({
      anthropicApiKey: 'sk-good',
      backends: ['claude', 'messages'],
      dailySearches: 40,
    })
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(printed).toContain('$10 for 1,000 searches')
    expect(printed + complaints).not.toContain('sk-good')
    expect((await credits({}, { undo: true })).code).toBe(0)
    expect(configured()).toMatchObject({ backends: ['claude'] })
    expect(readFileSync(path(), 'utf8')).not.toContain('sk-good')
  })

  test('changes nothing for a key that the API refuses, or for none', async () => {
    const refused = await credits({ input: 'sk-bad' })
    expect(refused.code).toBe(1)
    expect(refused.complaints).toContain('Nothing was changed.')
    expect(refused.printed + refused.complaints).not.toContain('sk-bad')
    await expect(credits({ input: ' \n' })).rejects.toThrow('No key was given.')
    await expect(credits({ input: 'two words' })).rejects.toThrow('The key must be a key without spaces')
    expect(() => statSync(path())).toThrow()
  })

  test('says what wins over the file, and takes no key as an argument', async () => {
    const environment = { CSP_BACKENDS: 'claude' }
    const { printed } = await credits({ input: 'sk-good', environment }, { yes: true })
    expect(printed).toContain('CSP_BACKENDS is set here, and wins over the file')
    const shell = testShell({ directory: home, environment: { HOME: home } })
    expect(await main(['setup', 'credits', 'sk-good'], shell)).toBe(2)
  })
})
