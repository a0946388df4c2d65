import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseYaml } from 'yaml'
import { createApp } from '../../../src/app.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { clientNames, knownClients } from '../../../src/runtime/client-files/known-clients.ts'
import { answers, fails, fakeExecutor } from '../../support/fake-executor.ts'
import { testShell } from '../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-setup-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let url = ''
const served = fakeExecutor(answers)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request) => app.fetch(request),
})
const app = createApp({ executor: served, version: '1' })
beforeAll(() => {
  url = `http://127.0.0.1:${server.port}`
})
afterAll(() => server.stop(true))

test('every client has a guide of its own', () => {
  const guides = join(import.meta.dir, '../../../docs/clients')
  expect(clientNames.filter((id) => !existsSync(join(guides, `${id}.md`)))).toEqual([])
  expect(clientNames.length).toBeGreaterThan(15)
})

/** A home in which a client has this configuration. */
function machine(id: string, text?: string, more: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const environment = { HOME: home, PATH: '', CSP_BACKENDS: 'brave', BRAVE_API_KEY: 'b', ...more }
  const { file } = knownClients(environment, home).find((one) => one.id === id) ?? {}
  if (file === undefined) throw new Error(`There is no file of ${id}.`)
  if (text !== undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return {
    home,
    file,
    read: () => readFileSync(file, 'utf8'),
    async csp(args: readonly string[], reply?: string) {
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(args, shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

/** As each program writes its own file, with something of the user's in it. */
const files: Readonly<Record<string, readonly [text: string, kept: string]>> = {
  'claude-code': ['{"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}', '"numStartups": 3'],
  codex: ['model = "gpt-5.5" # mine\n\n[projects."/a b"]\ntrust_level = "trusted"', '# mine'],
  'claude-desktop': ['{"mcpServers": {}}', 'mcpServers'],
  cursor: ['{\n\t"mcpServers": {"other": {"url": "http://x.example"}}\n}\n', 'http://x.example'],
  vscode: ['{\n  // mine\n  "servers": {},\n  "inputs": [],\n}\n', '// mine'],
  zed: ['// Zed settings\n{\n  "theme": "One Dark", // dark\n  "context_servers": {},\n}\n', '// dark'],
  cline: ['{"mcpServers": {}}', 'mcpServers'],
  opencode: ['{"$schema": "https://opencode.ai/config.json", "model": "x/y"}', '"model": "x/y"'],
  copilot: [
    '{\n  "mcpServers": {\n    "other": {\n      "type": "local",\n      "command": "x"\n    }\n  }\n}\n',
    '"command": "x"',
  ],
  kilo: ['{\n  // mine\n  "$schema": "https://app.kilo.ai/config.json",\n  "model": "x/y",\n}\n', '// mine'],
  'qwen-code': ['{\n  "mcpServers": {}, // none\n  "$version": 4\n}', '// none'],
  crush: ['{"$schema": "https://charm.land/crush.json", "options": {"debug": true}}', '"debug": true'],
  pi: ['{\n  "mcpServers": {\n    "docs": {"url": "http://x.example/mcp"}\n  }\n}\n', 'http://x.example/mcp'],
  'lm-studio': ['{\n  "mcpServers": {}\n}', 'mcpServers'],
  anythingllm: ['{\n  "mcpServers": {\n    "other": {"command": "npx", "args": ["-y", "x"]}\n  }\n}', '"npx"'],
  goose: ['# mine\nGOOSE_PROVIDER: ollama # local\nextensions:\n  developer:\n    enabled: true\n', '# local'],
}

/** What each program reads, by its documentation. */
const entries: Readonly<Record<string, (url: string) => object>> = {
  'claude-code': (url) => ({ mcpServers: { csp: { type: 'http', url } } }),
  codex: (url) => ({ mcp_servers: { csp: { url } } }),
  cursor: (url) => ({ mcpServers: { csp: { url } } }),
  vscode: (url) => ({ servers: { csp: { type: 'http', url } } }),
  zed: (url) => ({ context_servers: { csp: { url } } }),
  cline: (url) => ({ mcpServers: { csp: { type: 'streamableHttp', url, timeout: 180 } } }),
  opencode: (url) => ({ mcp: { csp: { type: 'remote', url, enabled: true } } }),
  copilot: (url) => ({ mcpServers: { csp: { type: 'http', url, tools: ['*'], timeout: 180_000 } } }),
  kilo: (url) => ({ mcp: { csp: { type: 'remote', url, enabled: true } } }),
  'qwen-code': (httpUrl) => ({ mcpServers: { csp: { httpUrl, alwaysLoadTools: true } } }),
  crush: (url) => ({ mcp: { csp: { type: 'http', url } } }),
  pi: (url) => ({ mcpServers: { csp: { url, exposure: 'direct' } } }),
  'lm-studio': (url) => ({ mcpServers: { csp: { url } } }),
  anythingllm: (url) => ({ mcpServers: { csp: { type: 'streamable', url } } }),
  goose: (uri) => ({
    extensions: {
      csp: {
        ...{ enabled: true, type: 'streamable_http', name: 'csp', description: 'Web search and page reading' },
        ...{ uri, timeout: 300 },
      },
    },
  }),
}

function parsed(file: string, text: string): unknown {
  if (file.endsWith('.toml')) return Bun.TOML.parse(text)
  return file.endsWith('.yaml') ? parseYaml(text) : parseJsonc(text, [], { allowTrailingComma: true })
}

test('every client but OpenClaw has a row here, or in the test of those that search by other requests', () => {
  const others = [
    'continue',
    'hermes',
    'open-webui',
    'librechat',
    'litellm',
    'claude-code-router',
    'n8n',
    'lobechat',
    'flowise',
  ]
  expect(clientNames.toSorted()).toEqual(['openclaw', ...Object.keys(files), ...others, 'home-assistant'].toSorted())
})

describe.each(Object.keys(entries))('csp setup %s', (id) => {
  const [text = '', kept = ''] = files[id] ?? []

  test('writes the entry, keeps the rest of the file, and searches as the client would', async () => {
    const { csp, file, read } = machine(id, text)
    const { code, printed } = await csp(['setup', id, '--url', url, '--yes'])
    expect({ code, printed }).toEqual({
      code: 0,
      printed: expect.stringMatching(/A search as [\w ]+ makes it \(MCP, web_search\): 2 results in [\d.]+ s\./),
    })
    expect(parsed(file, read())).toMatchObject(entries[id]?.(`${url}/mcp`) ?? {})
    expect(read()).toContain(kept)
    expect(readFileSync(`${file}.before-csp`, 'utf8')).toBe(text)
    const again = await csp(['setup', id, '--url', url, '--yes', '--no-search'])
    expect(again.printed).toContain('Searches with csp already.')
  })

  test('takes its entry out again with --undo, and nothing else', async () => {
    const { csp, file, read } = machine(id, text)
    await csp(['setup', id, '--url', url, '--yes', '--no-search'])
    const { code, printed } = await csp(['setup', id, '--undo', '--yes'])
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining('Taken out.') })
    expect(read()).not.toContain(url)
    expect(read()).toContain(kept)
    expect((await csp(['setup', id, '--undo', '--yes'])).printed).toContain('csp is not configured there.')
    expect(existsSync(file)).toBe(true)
  })

  test('prints the entry with --print, and changes nothing', async () => {
    const { csp, file, read } = machine(id, text)
    const { code, printed } = await csp(['setup', id, '--url', url, '--print'])
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining(`${url}/mcp`) })
    expect(printed).toContain(file)
    expect(read()).toBe(text)
  })

  test('makes the file where the program has none yet', async () => {
    const { csp, file, read } = machine(id)
    expect((await csp(['setup', id, '--url', url, '--yes', '--no-search'])).code).toBe(0)
    expect(JSON.stringify(parsed(file, read()))).toContain(`${url}/mcp`)
  })

  test('leaves a file alone that it cannot read', async () => {
    const { csp, file, read } = machine(id, '[1, {')
    const { code, complaints } = await csp(['setup', id, '--url', url, '--yes'])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining(`${file}, is not a`) })
    expect(read()).toBe('[1, {')
  })
})

test('csp setup codex leaves a table in braces alone, also when csp is taken out', async () => {
  const text = 'mcp_servers = { csp = { url = "http://other.example/mcp" } }'
  const { csp, read } = machine('codex', text)
  for (const args of [[], ['--undo']]) {
    const { code, complaints } = await csp(['setup', 'codex', ...args, '--url', url, '--yes'])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining('csp leaves it alone.') })
  }
  expect(read()).toBe(text)
})

test.each(['codex', 'cursor'])('csp setup %s keeps the mark that editors of Windows put before a file', async (id) => {
  const text = `\uFEFF${files[id]?.[0] ?? ''}`
  const { csp, read } = machine(id, text)
  await csp(['setup', id, '--url', url, '--yes', '--no-search'])
  expect(read()).toStartWith(text.slice(0, 2))
  expect(read()).toContain(url)
  await csp(['setup', id, '--undo', '--yes'])
  expect(read()).toBe(text)
})

test('csp setup claude-desktop searches with the csp that it starts, as a program with a window does', async () => {
  const config = JSON.stringify({ backends: ['remote'], 'remote-url': url })
  const { csp, read, home } = machine('claude-desktop', '{}')
  mkdirSync(join(home, '.config/csp'), { recursive: true })
  writeFileSync(join(home, '.config/csp/config.json'), config)
  const { code, printed } = await csp(['setup', 'claude-desktop', '--yes'])
  expect({ code, printed }).toEqual({
    code: 0,
    printed: expect.stringMatching(/A search as Claude Desktop makes it \(MCP, csp mcp\): 2 results in [\d.]+ s\./),
  })
  // Variables of the terminal are none of a program with a window.
  writeFileSync(join(home, '.config/csp/config.json'), '{"backends": ["remote"]}')
  const failed = await csp(['setup', 'claude-desktop', '--yes'])
  expect(failed).toMatchObject({
    code: 1,
    printed: expect.stringContaining('Claude Desktop cannot start csp: The backend remote needs the address'),
  })
  expect((await csp(['setup', 'claude-desktop', '--undo', '--yes'])).printed).toContain('Taken out.')
  expect(read()).toBe('{}')
})

describe('csp setup of a client', () => {
  test('makes a key of its own where csp has keys, and hides it', async () => {
    const { csp, read } = machine('goose', files['goose']?.[0])
    await csp(['keys', 'add', 'other'])
    const { printed } = await csp(['setup', 'goose', '--url', url, '--yes', '--no-search'])
    const [, key = ''] = /Authorization: Bearer (csp_[\w-]{43})/.exec(read()) ?? []
    expect(key).not.toBe('')
    expect(printed).not.toContain(key)
    expect(printed).toContain('Its key is "goose".')
    expect((await csp(['setup', 'goose', '--url', url, '--yes', '--no-search'])).printed).toContain('already')
  })

  test('writes nothing after a no, and nothing where nobody can be asked', async () => {
    const { csp, read } = machine('zed', files['zed']?.[0])
    expect(await csp(['setup', 'zed', '--url', url], 'n')).toMatchObject({ code: 0 })
    const { code, printed } = await csp(['setup', 'zed', '--url', url])
    expect({ code, printed }).toEqual({
      code: 0,
      printed: expect.stringContaining(
        `+ context_servers.csp.url: "${url}/mcp"\nWrite this? [Y/n] Not a terminal: nothing was written. Run csp setup zed --write --yes to write it.`,
      ),
    })
    const insisted = await csp(['setup', 'zed', '--url', url, '--write'])
    expect(insisted).toMatchObject({ code: 2, complaints: expect.stringContaining('Add --yes') })
    expect(read()).toBe(files['zed']?.[0] ?? '')
  })

  test('keeps the copy as a file that is whole, and writes to none that a link in its place names', async () => {
    const { csp, file } = machine('zed', files['zed']?.[0] ?? '')
    const victim = join(dirname(file), 'victim')
    symlinkSync(victim, `${file}.before-csp`)
    expect((await csp(['setup', 'zed', '--url', url, '--yes', '--no-search'])).code).toBe(0)
    expect(existsSync(victim)).toBeFalse()
    expect(lstatSync(`${file}.before-csp`).isFile()).toBeTrue()
    expect(readFileSync(`${file}.before-csp`, 'utf8')).toBe(files['zed']?.[0] ?? '')
  })

  test('says what is wrong where the search through it fails', async () => {
    const { csp } = machine('zed')
    const closed = await csp(['setup', 'zed', '--url', 'http://127.0.0.1:9', '--yes'])
    expect(closed).toMatchObject({
      code: 1,
      printed: expect.stringContaining('csp does not answer at http://127.0.0.1:9. Start it: csp start'),
    })
    const failing = createApp({ executor: fakeExecutor(fails('signed-out')), version: '1' })
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => failing.fetch(request) })
    const failed = await csp(['setup', 'zed', '--url', `http://127.0.0.1:${other.port}`, '--yes'])
    await other.stop(true)
    expect(failed).toMatchObject({
      code: 1,
      printed: expect.stringContaining('A search as Zed makes it failed: The fake fails.'),
    })
  })

  test('names the nearest client for one that it does not know', async () => {
    const { csp } = machine('zed')
    expect((await csp(['setup', 'gose'])).complaints).toBe('csp setup does not know "gose". Did you mean goose?\n')
  })
})
