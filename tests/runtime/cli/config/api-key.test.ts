import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { setSetting } from '../../../../src/runtime/cli/config/change-config.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-api-key-'))
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

async function setKey(shown: Partial<TestShellOptions>) {
  const shell = testShell({ directory: home, ...shown, environment: { HOME: home, ...shown.environment } })
  const loaded = loadConfig({}, shell.environment, home)
  const call = { shell, loaded, flags: {}, arguments: ['set', 'anthropic-api-key'], options: { json: false } }
  const code = await setSetting(call, `http://127.0.0.1:${api.port}`)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

const configured = () => loadConfig({}, { HOME: home }, home).config

describe('csp config set anthropic-api-key', () => {
  test('reads a key from standard input, tries it once, and keeps it where only the user can read it', async () => {
    const { code, printed, complaints } = await setKey({ input: 'sk-good\n' })
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(seen).toEqual(['/v1/models sk-good'])
    expect(configured()).toMatchObject({ anthropicApiKey: 'sk-good', backends: ['claude'] })
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(printed.replaceAll(/\s+/g, ' ')).toContain('$10 for 1,000 searches')
    expect(printed).toContain('csp config set backends claude,messages')
    expect(printed + complaints).not.toContain('sk-good')
  })

  test('changes nothing for a key that the API refuses, or for none', async () => {
    await expect(setKey({ input: 'sk-bad' })).rejects.toThrow(/rejects the key.* Nothing was changed\.$/)
    await expect(setKey({ input: ' \n' })).rejects.toThrow('No value was given.')
    await expect(setKey({ input: 'two words' })).rejects.toThrow('must be a key without spaces')
    expect(() => statSync(path())).toThrow()
  })

  test('leaves the backends as they are after a no', async () => {
    expect((await setKey({ reply: ['sk-good', 'n'] })).printed).not.toContain('The backends are')
    expect(configured()).toMatchObject({ anthropicApiKey: 'sk-good', backends: ['claude'] })
  })

  test('says what wins over the file, and what took the place of csp setup credits', async () => {
    const { printed } = await setKey({ reply: ['sk-good', 'y'], environment: { CSP_BACKENDS: 'claude' } })
    expect(printed).toContain('CSP_BACKENDS is set here, and wins over the file')
    expect(configured().backends).toEqual(['claude', 'messages'])
    const shell = testShell({ directory: home, environment: { HOME: home } })
    expect(await main(['setup', 'credits'], shell)).toBe(2)
    expect(shell.complaints()).toContain('csp config set anthropic-api-key')
  })
})

describe.skipIf(process.platform === 'win32')('csp config set anthropic-api-key on a terminal', () => {
  /** The flag of a terminal that shows what is typed. */
  const echo = 8

  /** Types at each question, and resolves to all that the terminal showed. */
  async function typed(...answers: readonly string[]) {
    let shown = ''
    let seenUpTo = 0
    const left = [...answers]
    const script = join(import.meta.dir, '../../../fixtures/set-api-key.ts')
    const child = Bun.spawn([process.execPath, script, `http://127.0.0.1:${api.port}`], {
      env: { HOME: home, PATH: '', TERM: 'xterm' },
      cwd: home,
      terminal: {
        data(terminal, data) {
          shown += new TextDecoder().decode(data)
          if (!/[:\]] $/.test(shown.slice(seenUpTo))) return
          seenUpTo = shown.length
          // That for the key comes before the terminal is told to show nothing.
          const isShown = shown.endsWith('] ')
          const mayType = eventually(() => isShown || (terminal.localFlags & echo) === 0)
          void mayType.then(() => terminal.write(left.shift() ?? ''))
        },
      },
    })
    const code = await child.exited
    child.terminal?.close()
    return { code, shown }
  }

  test('shows nothing of the key, which may be corrected and pasted with spaces and a line', async () => {
    const { code, shown } = await typed('wrong\x15 sk-gopd\x1b[D\x7f\x7fod \nnext line', 'y\r')
    expect({ code, seen }).toEqual({ code: 0, seen: ['/v1/models sk-good'] })
    expect(configured()).toMatchObject({ anthropicApiKey: 'sk-good', backends: ['claude', 'messages'] })
    expect(shown).not.toMatch(/wrong|sk-|next/)
  })

  test('changes nothing after Ctrl-C, nor for a key that the API refuses', async () => {
    expect(await typed('sk-go\x03')).toMatchObject({ code: 130 })
    expect(seen).toEqual([])
    const { code, shown } = await typed('sk-bad\r')
    expect({ code, seen }).toEqual({ code: 1, seen: ['/v1/models sk-bad'] })
    expect(shown).toContain('Nothing was changed.')
    expect(shown).not.toContain('sk-')
    expect(() => statSync(path())).toThrow()
  })
})
