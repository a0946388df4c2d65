import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { addKey } from '../../../../src/runtime/server/key-file.ts'
import { testApp } from '../../../api/test-app.ts'
import { testShell } from '../../test-shell.ts'

// csp setup CLIENT for a client with a file (Cursor), one without (Open WebUI), and one that csp cannot write (n8n).

const scratch = mkdtempSync(join(tmpdir(), 'csp-setup-client-'))
const app = testApp()
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.request(request.url, request) })
const url = `http://127.0.0.1:${server.port}`
afterAll(async () => {
  await server.stop(true)
  rmSync(scratch, { recursive: true })
})

function machine(files: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const file = (name: string) => join(home, name)
  return {
    file,
    read: (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : undefined),
    keyFile: file('.config/csp/keys.json'),
    async csp(line: string, reply?: string | readonly string[]) {
      const environment = { HOME: home, PATH: '', CSP_PORT: `${server.port}`, CSP_CLAUDE_BIN: '/gone' }
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(['setup', ...line.split(' ')], shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

const mcp = '.cursor/mcp.json'
const entry = { mcpServers: { csp: { url: `${url}/mcp` } } }

describe('csp setup of a client with a file', () => {
  test('shows the change, asks, writes it, and makes one search', async () => {
    const { csp, file, read } = machine()
    const { code, printed } = await csp('cursor', 'y')
    expect(code).toBe(0)
    expect(printed).toStartWith(`Cursor: ${file(mcp)}\n`)
    expect(printed).toContain(`there is no ${file('.cursor')}.\n`)
    expect(printed).toMatch(/MCP, web_search.*: 3 results in [\d.]+ s\.\n$/)
    expect(JSON.parse(read(mcp) ?? '')).toEqual(entry)
    const again = await csp('cursor --no-search')
    expect(again).toMatchObject({ code: 0, printed: expect.stringContaining('already') })
    expect((await csp('cursor --url http://127.0.0.1:9 --write --yes')).code).toBe(1)
  })

  test('leaves no folder behind that csp has made, and none of anybody else is removed', async () => {
    const { csp, file } = machine()
    await csp('cursor --write --yes --no-search')
    expect(existsSync(file(mcp))).toBe(true)
    await csp('cursor --undo --yes')
    expect(existsSync(file('.cursor'))).toBe(false)
    const used = machine({ '.cursor/argv.json': '{}' })
    await used.csp('cursor --write --yes --no-search')
    await used.csp('cursor --undo --yes')
    expect([existsSync(used.file(mcp)), used.read('.cursor/argv.json')]).toEqual([false, '{}'])
  })

  test.each([
    ['n', 'Nothing'],
    [undefined, 'csp setup cursor --write --yes'],
  ])('writes nothing after the reply %p', async (reply, said) => {
    const { csp, read } = machine({ [mcp]: '{}' })
    const { code, printed } = await csp('cursor', reply)
    expect([code, printed.includes(said), printed.includes('not found'), read(mcp)]).toEqual([0, true, false, '{}'])
  })

  test('writes with --yes without a question, and with --write only after one', async () => {
    const { csp, file, read } = machine({ 'here.json': '{}' })
    const asked = await csp('cursor --write --file here.json --no-search')
    expect([asked.code, asked.complaints]).toEqual([2, expect.stringContaining('Not a terminal')])
    const { printed } = await csp('cursor --yes --file here.json --no-search')
    expect(printed).toStartWith(`Cursor: ${file('here.json')}\n+ `)
    expect(printed).not.toContain('[Y/n]')
    expect(JSON.parse(read('here.json') ?? '')).toEqual(entry)
  })

  test('takes it out again with --undo', async () => {
    const { csp, read } = machine({ [mcp]: '{"mine": 1}' })
    expect((await csp('cursor --undo')).printed).toContain('not configured')
    await csp('cursor --yes --no-search')
    const kept = await csp('cursor --undo', 'n')
    expect([kept.code, kept.printed]).toEqual([0, expect.stringMatching(/- mcpServers.*\n.*\? \[Y\/n\] $/)])
    expect(read(mcp)).toContain('mcpServers')
    expect((await csp('cursor --undo', '')).code).toBe(0)
    expect(read(mcp)).toBe('{"mine": 1}')
  })

  test('that starts csp itself says to restart it, and has no key', async () => {
    const { csp, keyFile } = machine()
    await addKey(keyFile, 'one')
    const { printed } = await csp('claude-desktop --yes --no-search')
    expect(printed).toContain('Restart')
    expect((await csp('claude-desktop --print')).printed).not.toContain('YOUR-KEY')
  })

  test('prints what it needs, with a place for the key where csp requires one', async () => {
    const { csp, file, keyFile, read } = machine()
    const plain = await csp('cursor --print')
    expect(plain).toMatchObject({ code: 0, complaints: '' })
    expect(plain.printed).toStartWith(`Cursor: ${file(mcp)}\n\n`)
    expect(plain.printed).toEndWith('clients/cursor.md\n')
    expect(plain.printed).not.toContain('YOUR-KEY')
    await addKey(keyFile, 'one')
    const { printed, complaints } = await csp('cursor --print')
    expect(printed).toContain('Bearer YOUR-KEY')
    expect(complaints).toContain('csp setup cursor')
    expect(read(mcp)).toBeUndefined()
  })
})

describe('csp setup of a client without a file', () => {
  test('prints its values, says how csp writes them, and offers a search', async () => {
    const { csp } = machine()
    const { code, printed } = await csp('open-webui', 'n')
    expect(code).toBe(0)
    expect(printed).toStartWith('Open WebUI: FILE\n\n')
    expect(printed).toContain('--file FILE')
    expect(printed).toMatch(/your plan.* \[Y\/n\] $/)
    for (const line of ['open-webui', 'open-webui --no-search'])
      expect((await csp(line)).printed).not.toContain('A search as')
    const searched = await csp('open-webui --yes')
    expect([searched.code, searched.printed]).toEqual([0, expect.stringContaining('A search as Open WebUI makes it')])
    expect(searched.printed).not.toContain('[Y/n]')
  })

  test.each(['--write', '--undo'])('refuses %s without the file', async (flag) => {
    const { code, complaints } = await machine().csp(`open-webui ${flag}`)
    expect([code, complaints]).toEqual([2, expect.stringContaining('Open WebUI')])
  })

  test.each(['--write', '--undo', '--file x'])(
    'that csp cannot write refuses %s, and is told by hand',
    async (flag) => {
      const { csp } = machine()
      const { code, complaints } = await csp(`n8n ${flag}`)
      expect([code, complaints]).toEqual([2, expect.stringContaining('csp setup n8n')])
      const { printed } = await csp('n8n --print')
      expect(printed).toStartWith('n8n\n\n')
      expect(printed).toContain('encrypted')
      expect(printed).not.toContain('--file FILE')
    },
  )

  test('is none that csp does not know', async () => {
    const { code, complaints } = await machine().csp('curser')
    expect([code, complaints]).toEqual([2, expect.stringContaining('Did you mean cursor?')])
  })
})
