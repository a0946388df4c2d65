import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { parseBlock } from '@continuedev/config-yaml'
import { configSchema } from 'librechat-data-provider'
import { parse as parseYaml } from 'yaml'
import { createApp } from '../../../src/app.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { answers, fails, fakeExecutor } from '../../support/fake-executor.ts'
import { testShell } from '../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-setup-'))

/** What reached csp: the method and path, then headers and body. */
const received: { line: string; headers: Headers; body: string }[] = []
const apps = {
  open: createApp({ executor: fakeExecutor(answers), version: '1' }),
  keyed: createApp({ executor: fakeExecutor(answers), version: '1', keys: ['key-1'], allowedHosts: ['*'] }),
  limited: createApp({ executor: fakeExecutor(fails('rate-limited')), version: '1' }),
}
const servers = Object.fromEntries(Object.entries(apps).map(([name, app]) => [name, serve(app)]))
const urlOf = (name: keyof typeof apps) => `http://127.0.0.1:${servers[name]?.port}`
let url = ''
beforeAll(() => {
  url = urlOf('open')
})
afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop(true)
  rmSync(scratch, { recursive: true })
})

function serve(app: ReturnType<typeof createApp>) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = await request.clone().text()
      received.push({ line: `${request.method} ${pathname}${search}`, headers: request.headers, body })
      return app.fetch(request)
    },
  })
}

/** A home with these files, and a terminal in it. */
function machine(files: Readonly<Record<string, string>> = {}, more: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text, { mode: 0o600 })
  }
  const environment = { HOME: home, PATH: '', CSP_BACKENDS: 'brave', BRAVE_API_KEY: 'b', ...more }
  return {
    home,
    at: (name: string) => join(home, name),
    read: (name: string) => readFileSync(join(home, name), 'utf8'),
    async csp(args: readonly string[], reply?: string) {
      received.length = 0
      const shell = testShell({ environment, directory: home, reply })
      const code = await main(args, shell)
      return { code, printed: shell.printed(), complaints: shell.complaints() }
    },
  }
}

interface Row {
  /** As the program's own examples look, with something of the user's in it. */
  readonly files: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** What its files say then. */
  written(url: string, read: (name: string) => string): void
  /** Its requests, as its source sends them. */
  readonly requests: readonly (readonly [line: string, body: object | undefined])[]
}

const query = 'latest stable release of Node.js'
const words = 'latest+stable+release+of+Node.js'

const rows: Readonly<Record<string, Row>> = {
  hermes: {
    files: {
      '.hermes/config.yaml':
        '# mine\nmodel:\n  default: "anthropic/claude-opus-4.6" # the big one\n\nweb:\n  # chosen by hermes tools\n  search_backend: exa\n  use_gateway: false\n',
      '.hermes/.env': '# keys\nOPENROUTER_API_KEY=sk-or-1\nexport TAVILY_API_KEY="tvly-mine"\n',
    },
    args: [],
    written(at, read) {
      expect(parseYaml(read('.hermes/config.yaml')).web).toEqual({
        ...{ search_backend: 'tavily', extract_backend: 'tavily', use_gateway: false },
      })
      for (const kept of ['# mine', '# the big one', '# chosen by']) expect(read('.hermes/config.yaml')).toContain(kept)
      expect(read('.hermes/.env')).toBe(
        `# keys\nOPENROUTER_API_KEY=sk-or-1\nTAVILY_API_KEY=local\nTAVILY_BASE_URL=${at}/tavily\n`,
      )
    },
    requests: [
      [
        'POST /tavily/search',
        { query, max_results: 5, include_raw_content: false, include_images: false, api_key: 'local' },
      ],
    ],
  },
  continue: {
    files: { '.continue/config.yaml': 'name: Local Config\nversion: 1.0.0\nschema: v1\n' },
    args: [],
    written(at, read) {
      expect(parseBlock(read('.continue/mcpServers/csp.yaml'))).toEqual({
        ...{ name: 'csp', version: '1.0.0', schema: 'v1' },
        mcpServers: [{ name: 'csp', type: 'streamable-http', url: `${at}/mcp` }],
      })
    },
    requests: [['POST /mcp', undefined]],
  },
  librechat: {
    files: {
      'librechat.yaml':
        'version: 1.3.1\ncache: true # yes\nwebSearch:\n  safeSearch: 0\n  allowedAddresses:\n  - "10.0.0.5:8080"\nendpoints:\n  agents:\n    recursionLimit: 50\n',
      '.env': 'HOST=localhost\nTAVILY_API_KEY=user_provided\n\n# end\n',
    },
    args: [],
    written(at, read) {
      const config = parseYaml(read('librechat.yaml'))
      expect(configSchema.safeParse(config).error).toBeUndefined()
      expect(config.webSearch).toEqual({
        safeSearch: 0,
        allowedAddresses: ['10.0.0.5:8080', new URL(at).host],
        ...{ searchProvider: 'tavily', scraperProvider: 'tavily', rerankerType: 'none' },
        ...{ tavilySearchUrl: `\${TAVILY_SEARCH_URL}`, tavilyExtractUrl: `\${TAVILY_EXTRACT_URL}` },
        ...{ tavilyApiKey: `\${TAVILY_API_KEY}`, scraperTimeout: 30_000, tavilySearchOptions: { timeout: 60_000 } },
      })
      expect(read('librechat.yaml')).toContain('cache: true # yes\n')
      expect(read('librechat.yaml')).toContain('\n  - "10.0.0.5:8080"\n')
      expect(parseEnv(read('.env'))).toEqual({
        ...{ HOST: 'localhost', TAVILY_API_KEY: 'local' },
        ...{ TAVILY_SEARCH_URL: `${at}/tavily/search`, TAVILY_EXTRACT_URL: `${at}/tavily/extract` },
      })
      expect(read('.env')).toContain('\n\n# end\n')
    },
    requests: [
      ['POST /tavily/search', { query, search_depth: 'basic', topic: 'general', max_results: 8, safe_search: true }],
    ],
  },
  litellm: {
    files: {
      'litellm_config.yaml':
        'model_list:\n  - model_name: gpt # ours\n    litellm_params:\n      model: openai/gpt-5\nsearch_tools:\n  - search_tool_name: other\n    litellm_params:\n      search_provider: exa\n      api_key: os.environ/EXA_API_KEY\n',
    },
    args: [],
    written(at, read) {
      const config = parseYaml(read('litellm_config.yaml'))
      expect(config.search_tools).toEqual([
        { search_tool_name: 'other', litellm_params: { search_provider: 'exa', api_key: 'os.environ/EXA_API_KEY' } },
        {
          search_tool_name: 'csp',
          litellm_params: { search_provider: 'perplexity', api_base: at, api_key: 'local' },
        },
      ])
      expect(read('litellm_config.yaml')).toContain('# ours')
    },
    requests: [['POST /search', { query }]],
  },
  'open-webui': {
    files: { 'owui.env': 'WEBUI_NAME="Our chat"\nWEB_SEARCH_ENGINE=duckduckgo # for now\n' },
    args: ['--file', 'owui.env'],
    written(at, read) {
      expect(parseEnv(read('owui.env'))).toEqual({
        ...{ WEBUI_NAME: 'Our chat', ENABLE_WEB_SEARCH: 'true' },
        ...{ WEB_SEARCH_ENGINE: 'external', EXTERNAL_WEB_SEARCH_URL: `${at}/open-webui/search` },
        ...{ WEB_LOADER_ENGINE: 'external', EXTERNAL_WEB_LOADER_URL: `${at}/open-webui/loader` },
        ...{ EXTERNAL_WEB_SEARCH_API_KEY: 'local', EXTERNAL_WEB_LOADER_API_KEY: 'local' },
      })
    },
    requests: [['POST /open-webui/search', { query, count: 3 }]],
  },
  lobechat: {
    files: { 'lobe.env': 'KEY_VAULTS_SECRET=x\nSEARCH_PROVIDERS="searxng"\n' },
    args: ['--file', 'lobe.env'],
    written(at, read) {
      expect(parseEnv(read('lobe.env'))).toEqual({
        ...{ KEY_VAULTS_SECRET: 'x', SEARCH_PROVIDERS: 'firecrawl', CRAWLER_IMPLS: 'firecrawl' },
        ...{ FIRECRAWL_URL: `${at}/firecrawl/v2`, FIRECRAWL_API_KEY: 'local' },
      })
    },
    requests: [['POST /firecrawl/v2/search', { limit: 20, query, sources: [{ type: 'web' }, { type: 'news' }] }]],
  },
  'claude-code-router': {
    files: { 'ccr.env': 'HOST=127.0.0.1' },
    args: ['--file', 'ccr.env'],
    written(at, read) {
      const ours = `BRAVE_SEARCH_ENDPOINT=${at}/res/v1/web/search\nBRAVE_SEARCH_API_KEY=local\n`
      expect(read('ccr.env')).toBe(`HOST=127.0.0.1\n${ours}`)
    },
    requests: [[`GET /res/v1/web/search?q=${words}&count=5`, undefined]],
  },
}

describe.each(Object.keys(rows))('csp setup %s', (id) => {
  const { files, args, written, requests } = rows[id] ?? { files: {}, args: [], written() {}, requests: [] }
  const call = (...more: readonly string[]) => ['setup', id, ...args, '--url', url, ...more]

  test('writes its settings, keeps the rest, and searches as the client would', async () => {
    const { csp, read } = machine(files)
    const { code, printed, complaints } = await csp(call('--write', '--yes'))
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    written(url, read)
    const sent = received.filter(({ line }) => !/^(?:GET|DELETE) \/mcp/.test(line))
    for (const [index, [line, body]] of requests.entries()) {
      expect(sent[index]?.line).toBe(line)
      if (body) expect(JSON.parse(sent[index]?.body ?? '')).toEqual(body)
    }
    expect(printed).toMatch(/makes it \([^)]+\): 2 results in /)
    expect((await csp(call('--yes', '--no-search'))).printed).toContain('Searches with csp already.')
  })

  test('gives the files back as they were with --undo', async () => {
    const { csp, read, at } = machine(files)
    await csp(call('--yes', '--no-search'))
    const { code, printed } = await csp(call('--undo', '--yes'))
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining('Taken out.') })
    for (const [name, text] of Object.entries(files)) {
      expect(read(name)).toBe(text)
      expect(statSync(at(name)).mode & 0o777).toBe(0o600)
      expect(existsSync(at(`${name}.before-csp`))).toBe(false)
    }
    expect((await csp(call('--undo', '--yes'))).printed).toContain('csp is not configured there.')
  })

  test('prints what would stand in its files with --print, and changes nothing', async () => {
    const { csp, read, at } = machine(files)
    const { code, printed } = await csp(call('--print'))
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringContaining(url) })
    for (const [name, text] of Object.entries(files)) expect(read(name)).toBe(text)
    expect(existsSync(at('.continue/mcpServers'))).toBe(false)
    expect(received).toEqual([])
  })

  test('makes the files where there are none, and removes them with --undo', async () => {
    const { csp, at } = machine()
    const named = { librechat: 'librechat.yaml', litellm: 'litellm_config.yaml' }[id]
    const where = named ? ['--file', at(named)] : args
    expect((await csp(['setup', id, ...where, '--url', url, '--yes', '--no-search'])).code).toBe(0)
    expect((await csp(['setup', id, ...where, '--undo', '--yes'])).code).toBe(0)
    for (const name of Object.keys(files)) if (id !== 'continue') expect(existsSync(at(name))).toBe(false)
  })
})

describe('csp setup of a client that searches by an API', () => {
  const hermes = rows['hermes']?.files ?? {}

  test('shows what the user had, hides keys, and asks', async () => {
    const { csp, read, at } = machine(hermes)
    const { code, printed } = await csp(['setup', 'hermes', '--url', url, '--no-search'], 'n')
    expect(code).toBe(0)
    expect(printed).toBe(
      `${[
        `Hermes: ${at('.hermes/config.yaml')}`,
        '- web.search_backend: "exa"',
        '+ web.search_backend: "tavily"',
        '+ web.extract_backend: "tavily"',
        at('.hermes/.env'),
        '- TAVILY_API_KEY: (hidden)',
        '+ TAVILY_API_KEY: "local"',
        `+ TAVILY_BASE_URL: "${url}/tavily"`,
        'Write this? [Y/n] Nothing was changed.\n',
      ].join('\n')}`,
    )
    for (const [name, text] of Object.entries(hermes)) expect(read(name)).toBe(text)
  })

  test('makes a key where csp has keys, hides it, and finds it again', async () => {
    const { csp, read } = machine(hermes)
    await csp(['keys', 'add', 'other'])
    const { printed } = await csp(['setup', 'hermes', '--url', url, '--yes', '--no-search'])
    const { TAVILY_API_KEY: key = '' } = parseEnv(read('.hermes/.env'))
    expect(key).toStartWith('csp_')
    expect(printed).not.toContain(key)
    expect(printed).toContain('Its key is "hermes".')
    await csp(['setup', 'hermes', '--url', url, '--yes'])
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ api_key: key })
    expect(JSON.parse((await csp(['keys', 'list', '--json'])).printed).keys).toHaveLength(2)
  })

  test('leaves what the user has changed since, and gives back what was before csp', async () => {
    const { csp, read, at } = machine(hermes)
    await csp(['setup', 'hermes', '--url', url, '--yes', '--no-search'])
    const changed = read('.hermes/config.yaml').replace('extract_backend: tavily', 'extract_backend: firecrawl')
    writeFileSync(at('.hermes/config.yaml'), changed)
    await csp(['setup', 'hermes', '--undo', '--yes'])
    expect(parseYaml(read('.hermes/config.yaml')).web).toEqual({
      ...{ search_backend: 'exa', use_gateway: false, extract_backend: 'firecrawl' },
    })
    expect(read('.hermes/.env')).toBe(hermes['.hermes/.env'] ?? '')
  })

  test('takes out none of a Tavily of the user’s own', async () => {
    const files = {
      '.hermes/config.yaml': 'web:\n  search_backend: tavily\n',
      '.hermes/.env': 'TAVILY_API_KEY=tvly-1\n',
    }
    const { csp, read } = machine(files)
    expect((await csp(['uninstall', '--yes'])).printed).not.toContain('Hermes')
    await csp(['setup', 'hermes', '--url', url, '--yes', '--no-search'])
    const { printed } = await csp(['uninstall', '--yes'])
    expect(printed).toContain('csp in the configuration of Hermes')
    for (const [name, text] of Object.entries(files)) expect(read(name)).toBe(text)
  })

  test('writes through a link, and does not replace it', async () => {
    const { csp, read, at } = machine({ 'dotfiles/env': 'A=1\n', '.hermes/config.yaml': '' })
    symlinkSync(at('dotfiles/env'), at('.hermes/.env'))
    await csp(['setup', 'hermes', '--url', url, '--yes', '--no-search'])
    expect(lstatSync(at('.hermes/.env')).isSymbolicLink()).toBe(true)
    expect(read('dotfiles/env')).toContain(`TAVILY_BASE_URL=${url}/tavily`)
    await csp(['setup', 'hermes', '--undo', '--yes'])
    expect(lstatSync(at('.hermes/.env')).isSymbolicLink()).toBe(true)
    expect(read('dotfiles/env')).toBe('A=1\n')
  })

  test('leaves a file alone that has something else where csp belongs', async () => {
    const { csp, read } = machine({ 'litellm_config.yaml': 'search_tools: none\n' })
    const { code, complaints } = await csp(['setup', 'litellm', '--url', url, '--yes'])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining('search_tools') })
    expect(read('litellm_config.yaml')).toBe('search_tools: none\n')
  })

  test('keeps comments, and lists as deep as they are', async () => {
    const text = '# ours\nsearch_tools:\n- search_tool_name: a # first\n  litellm_params: {search_provider: exa}\n'
    const { csp, read } = machine({ 'litellm_config.yaml': text, 'empty.yaml': 'search_tools:\n  # none yet\n' })
    await csp(['setup', 'litellm', '--url', url, '--yes', '--no-search'])
    expect(read('litellm_config.yaml')).toStartWith(text)
    await csp(['setup', 'litellm', '--file', 'empty.yaml', '--url', url, '--yes', '--no-search'])
    expect(read('empty.yaml')).toMatch(/^search_tools:\n +# none yet\n +- search_tool_name: csp\n/)
  })

  test('writes to where a link leads, also when nothing is there', async () => {
    const { csp, read, at } = machine()
    symlinkSync(at('elsewhere/x.env'), at('a.env'))
    expect((await csp(['setup', 'open-webui', '--file', 'a.env', '--url', url, '--yes', '--no-search'])).code).toBe(0)
    expect(lstatSync(at('a.env')).isSymbolicLink()).toBe(true)
    expect(read('elsewhere/x.env')).toContain('ENABLE_WEB_SEARCH=true')
  })

  test('leaves nothing half where a file cannot be written, and no key', async () => {
    const { csp, read, at } = machine({ '.hermes/config.yaml': 'web: {}\n' })
    await csp(['keys', 'add', 'other'])
    // A link into a file, which nothing can be written below.
    symlinkSync(at('.hermes/config.yaml/env'), at('.hermes/.env'))
    const { code, complaints } = await csp(['setup', 'hermes', '--url', url, '--yes'])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringMatching(/\.env, cannot be written \(E/) })
    expect(read('.hermes/config.yaml')).toBe('web: {}\n')
    expect(JSON.parse((await csp(['keys', 'list', '--json'])).printed).keys).toHaveLength(1)
  })

  test('says what to name where only the user knows the file', async () => {
    const { csp } = machine()
    const { code, complaints } = await csp(['setup', 'litellm', '--write', '--yes'])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining('--file FILE, the config') })
    const printed = await csp(['setup', 'librechat', '--url', url, '--no-search'])
    expect(printed.printed).toContain('LibreChat: FILE\n\nwebSearch:\n  searchProvider: tavily\n')
    expect(printed.printed).toContain(`LibreChat: .env, beside it\n\nTAVILY_SEARCH_URL=${url}/tavily/search\n`)
  })
})

describe('csp setup of a client that csp cannot write', () => {
  test('n8n prints the credential, with the key in it, and searches by its request', async () => {
    const { csp } = machine({}, { CSP_API_KEYS: 'key-1' })
    const { code, printed } = await csp(['setup', 'n8n', '--url', urlOf('keyed')], 'y')
    expect(code).toBe(0)
    expect(printed).toContain(`  API URL: http://csp:key-1@127.0.0.1:${servers['keyed']?.port}\n`)
    expect(printed).toContain('n8n keeps its credentials encrypted in its database.')
    expect(printed).toMatch(/A search as n8n makes it \(POST \/search\): 2 results/)
    expect(received[0]?.line).toBe(`POST /search?q=${words}&format=json&pageno=1&safesearch=0&language=en`)
    expect(received[0]?.headers.get('authorization')).toBe(`Basic ${btoa('csp:key-1')}`)
  })

  test('Home Assistant prints the address, and searches by MCP with the key in it', async () => {
    const { csp } = machine({}, { CSP_API_KEYS: 'key-1' })
    const { code, printed } = await csp(['setup', 'home-assistant', '--url', urlOf('keyed'), '--yes'])
    expect(code).toBe(0)
    expect(printed).toContain(`http://csp:key-1@127.0.0.1:${servers['keyed']?.port}/mcp`)
    expect(printed).toMatch(/A search as Home Assistant makes it \(MCP, web_search\): 2 results/)
    expect(received[0]?.headers.get('authorization')).toStartWith('Basic ')
  })

  test('Flowise prints the entry with a key of its own, and searches by MCP with it', async () => {
    const { csp } = machine({}, { CSP_API_KEYS: 'key-1' })
    const { code, printed } = await csp(['setup', 'flowise', '--url', urlOf('keyed'), '--yes'])
    expect(code).toBe(0)
    const [, shown = ''] = /MCP Server Config:\n(.*)\n/.exec(printed) ?? []
    expect(JSON.parse(shown)).toEqual({
      url: `${urlOf('keyed')}/mcp`,
      headers: { Authorization: 'Bearer key-1' },
    })
    expect(printed).toContain('HTTP_SECURITY_CHECK=false')
    expect(printed).toMatch(/A search as Flowise makes it \(MCP, web_search\): 2 results/)
    expect(received[0]?.headers.get('authorization')).toBe('Bearer key-1')
  })

  test.each(['--file=x', '--write', '--undo'])('refuses %s, and says why', async (flag) => {
    const { csp } = machine()
    const { code, complaints } = await csp(['setup', 'home-assistant', flag])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining('a storage of its own') })
  })

  test('makes no search where nobody can be asked', async () => {
    expect((await machine().csp(['setup', 'n8n', '--url', url])).code).toBe(0)
    expect(received).toEqual([])
  })
})

describe('the search that proves a setup', () => {
  const proofAt = (at: string, more: readonly string[] = []) =>
    machine({}, { CSP_PORT: at.split(':').at(-1) ?? '' }).csp([
      ...['setup', 'open-webui', '--file', 'a.env', '--yes', '--url', at],
      ...more,
    ])

  test('says that csp does not run, wants a key, or is over its limit, and what to do', async () => {
    expect((await proofAt('http://127.0.0.1:9')).printed).toContain(
      'csp does not answer at http://127.0.0.1:9. Start it: csp start',
    )
    const keyless = await proofAt(urlOf('keyed'))
    expect(keyless).toMatchObject({ code: 1, printed: expect.stringContaining('csp requires a key at') })
    const limited = await proofAt(urlOf('limited'))
    expect(limited).toMatchObject({
      code: 1,
      printed: expect.stringContaining('A search as Open WebUI makes it failed: The fake fails.'),
    })
  })

  test('calls csp on this machine by the name that only containers have', async () => {
    const port = servers['keyed']?.port
    const at = `http://host.docker.internal:${port}`
    const box = machine({}, { CSP_PORT: String(port), CSP_API_KEYS: 'key-1' })
    const { code } = await box.csp(['setup', 'open-webui', '--file', 'a.env', '--yes', '--url', at])
    expect(code).toBe(0)
    expect(received[0]?.headers.get('host')).toBe(`host.docker.internal:${port}`)
    expect(box.read('a.env')).toContain(`EXTERNAL_WEB_SEARCH_URL=${at}/open-webui/search`)
    const refused = await machine({}, { CSP_PORT: String(servers['open']?.port) }).csp([
      ...['setup', 'open-webui', '--file', 'a.env', '--yes', '--url', 'http://host.docker.internal:1'],
    ])
    expect(refused.printed).toContain('csp start --allowed-hosts host.docker.internal')
  })
})
