import { expect, test } from 'bun:test'
import type { ClientAddresses, ClientManifest, Places } from '../../src/clients/client.ts'
import { isServed } from '../../src/clients/client.ts'
import { clients } from '../../src/clients/clients.ts'
import { hermes } from '../../src/clients/programs/hermes.ts'
import { libreChat } from '../../src/clients/programs/librechat.ts'
import { openWebui } from '../../src/clients/programs/open-webui.ts'
import { openClaw } from '../../src/clients/programs/openclaw.ts'
import { inContainer, programEntry } from '../../src/clients/settings.ts'
import { envLine, freshSettings, settingsText, settingsValue } from '../../src/clients/settings-text.ts'

const url = 'http://127.0.0.1:52480'
const addressesFor = (key?: string, more: Partial<ClientAddresses> = {}): ClientAddresses => ({
  ...{ address: { url, key }, program: { command: 'csp', args: ['mcp'] }, csp: 'csp', timeoutSeconds: 120 },
  platform: 'linux',
  ...more,
})
const placesOf = (platform: string, variables: Readonly<Record<string, string>> = {}): Places => ({
  ...{ home: '/home', directory: '/here', platform },
  variable: (name) => variables[name],
  configFolder: (name) => `/config/${name}`,
  applicationFolder: (name) => `/apps/${name}`,
})

/** What the text of each file of a client is. */
const textsOf = (client: ClientManifest, addresses = addressesFor('k')) =>
  client.files(addresses).map((file) => settingsText(file))
const byId = (id: string) => {
  const client = clients.find((each) => each.id === id)
  if (!client) throw new Error(`There is no client ${id}.`)
  return client
}

test('one file of several, pages through csp, a copy that tells: each client says of itself what holds', () => {
  const saying = (holds: (client: ClientManifest) => boolean | undefined) => clients.filter(holds).map(({ id }) => id)
  expect(saying(({ where }) => where?.(placesOf('linux')).isOneOfMany)).toEqual(['librechat', 'litellm'])
  expect(saying(({ request }) => request.kind === 'http' && request.readsPages)).toEqual([
    'hermes',
    'open-webui',
    'librechat',
    'lobechat',
  ])
  expect(saying(({ isKnownByCopy }) => isKnownByCopy)).toEqual(['openclaw'])
  expect(saying((client) => !isServed(client))).toEqual(['claude-desktop'])
  expect(clients.flatMap(({ id, request }) => (request.patienceMs ? [[id, request.patienceMs]] : []))).toEqual([
    ...[
      ['hermes', 60_000],
      ['claude-code-router', 15_000],
      ['n8n', 15_000],
      ['home-assistant', 10_000],
    ],
  ])
})

test.each([
  ['hermes', 'win32', {}, '/home/hermes/config.yaml'],
  ['hermes', 'win32', { LOCALAPPDATA: '/local' }, '/local/hermes/config.yaml'],
  ['hermes', 'linux', { LOCALAPPDATA: '/local' }, '/home/.hermes/config.yaml'],
  ['hermes', 'linux', { HERMES_HOME: '/own' }, '/own/config.yaml'],
  ['goose', 'win32', {}, '/config/Block/goose/config/config.yaml'],
  ['goose', 'linux', {}, '/config/goose/config.yaml'],
  ['zed', 'darwin', {}, '/home/.config/zed/settings.json'],
  ['zed', 'linux', {}, '/config/zed/settings.json'],
  ['opencode', 'linux', {}, '/home/.config/opencode/opencode.json'],
  ['opencode', 'linux', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/opencode/opencode.json'],
  ['continue', 'linux', {}, '/home/.continue/mcpServers/csp.yaml'],
  ['continue', 'linux', { CONTINUE_GLOBAL_DIR: '/own' }, '/own/mcpServers/csp.yaml'],
  ['claude-code', 'linux', {}, '/home/.claude.json'],
  ['claude-code', 'linux', { CLAUDE_CONFIG_DIR: '/own' }, '/own/.claude.json'],
  ['openclaw', 'linux', {}, '/home/.openclaw/openclaw.json'],
  ['openclaw', 'linux', { OPENCLAW_HOME: '/own' }, '/own/.openclaw/openclaw.json'],
  ['openclaw', 'linux', { OPENCLAW_HOME: '/own', OPENCLAW_STATE_DIR: '/state' }, '/state/openclaw.json'],
  ['openclaw', 'linux', { OPENCLAW_CONFIG_PATH: '/own.json' }, '/own.json'],
])('the file of %s on %s with %j is %s', (id, platform, variables, file) => {
  expect(byId(id).where?.(placesOf(platform, variables)).file).toBe(file)
})

test.each([
  ['goose', ['enabled: true', 'timeout: 300', 'Authorization: Bearer k']],
  ['cline', ['"timeout": 180\n', '"url": "http://127.0.0.1:52480/mcp"']],
  ['opencode', ['"enabled": true', '"type": "remote"']],
  ['continue', ['requestOptions:', 'version: 1.0.0', '- name: csp']],
  ['litellm', ['search_provider: perplexity', 'api_key: k']],
])('the file of %s has %j', (id, parts) => {
  const [text = ''] = textsOf(byId(id))
  for (const part of parts) expect(text).toContain(part)
})

test('clients that insist on a key get a placeholder where csp has none', () => {
  const keysIn = (client: ClientManifest) =>
    textsOf(client, addressesFor())
      .join('')
      .match(/.*\blocal$/gm)
  expect(keysIn(hermes)).toEqual(['TAVILY_API_KEY=local'])
  expect(keysIn(openWebui)).toEqual(['EXTERNAL_WEB_SEARCH_API_KEY=local', 'EXTERNAL_WEB_LOADER_API_KEY=local'])
  expect(keysIn(byId('litellm'))).toEqual(['      api_key: local'])
  expect(textsOf(hermes).join('')).not.toContain('local')
  expect(textsOf(byId('goose'), addressesFor()).join('')).not.toContain('headers')
  expect(textsOf(byId('continue'), addressesFor()).join('')).not.toContain('requestOptions')
})

test('LibreChat is told which private address it may call, and what models there are', () => {
  const [yaml, env] = textsOf(libreChat)
  expect(yaml).toContain('allowedAddresses:\n    - 127.0.0.1:52480')
  expect(yaml).toContain('tavilySearchOptions:\n    timeout: 60000')
  expect(env).toContain('TAVILY_EXTRACT_URL=http://127.0.0.1:52480/tavily/extract\nTAVILY_API_KEY=k\n')
  const abroad = addressesFor('k', { address: { url: 'https://csp.example.org', key: 'k' } })
  expect(textsOf(libreChat, abroad)[0]).not.toContain('allowedAddresses')
  expect(libreChat.snippet?.({ url })?.text.split('\n').slice(2)).toEqual([
    ...['    - name: csp', '      apiKey: local', '      baseURL: http://127.0.0.1:52480/v1', '      models:'],
    ...['        default: [sonar-pro, sonar, sonar-reasoning-pro]', '        fetch: true'],
  ])
})

test('OpenClaw searches by its plugin for Brave, or by that of csp', () => {
  const writtenBy = (client: ClientManifest, key?: string, command?: readonly string[]) =>
    client.files(addressesFor(key, { command })).map(({ settings }) => settingsValue(settings))[0]
  const search = (provider: string) => ({ provider, timeoutSeconds: 120 })
  const entry = (webSearch: object) => ({ enabled: true, config: { webSearch: { baseUrl: url, ...webSearch } } })
  expect(writtenBy(openClaw)).toEqual({
    plugins: { entries: { brave: entry({ apiKey: 'local' }) } },
    tools: { web: { search: search('brave') } },
  })
  const byPlugin = openClaw.byPlugin ?? openClaw
  expect(writtenBy(byPlugin)).toEqual({
    plugins: { entries: { csp: entry({}) } },
    tools: { web: { search: search('csp'), fetch: { provider: 'csp' } } },
  })
  const { config } = entry({ apiKey: 'k' })
  expect(writtenBy(byPlugin, 'k', ['bun', 'csp'])).toMatchObject({
    plugins: { entries: { csp: { config: { command: ['bun', 'csp'], ...config } } } },
  })
  expect(writtenBy(openClaw, 'k', ['bun', 'csp'])).toEqual(writtenBy(openClaw, 'k'))
  const [{ settings } = { settings: [] }] = byPlugin.files(addressesFor())
  const when = (last: string | number, present: unknown, around?: unknown) =>
    settings.filter(({ place, when }) => place.at(-1) === last && when).map((each) => each.when?.(present, around))
  expect([when('enabled', false), when('enabled', undefined)]).toEqual([[true], [false]])
  expect([119, 120, '200', undefined].map((present) => when('timeoutSeconds', present)[0])).toEqual([
    ...[true, false, true, true],
  ])
  expect(settings.filter(({ place }) => place.at(-1) === 'enabled').map(({ value }) => value)).toEqual([true, true])
  const allowed = settings.find(({ place }) => place[1] === 'allow')
  expect([allowed?.when?.(undefined, []), allowed?.when?.(undefined, undefined)]).toEqual([true, false])
  expect(settings.filter(({ isOurs }) => isOurs).map(({ place }) => place.at(-1))).toEqual(['csp', 'timeoutSeconds'])
  expect(openClaw.snippet?.({ url })?.text).toContain('"requestTimeoutMs": 180000')
})

test('a file has what csp writes into an empty one', () => {
  const setting = (name: string, value: unknown, when?: boolean) => ({
    ...{ place: [name], value },
    ...(when !== undefined && { when: () => when }),
  })
  const settings = [setting('a', 1), setting('b', undefined), setting('c', 3, false), setting('d', 4, true)]
  expect(freshSettings(settings).map(({ place }) => place[0])).toEqual(['a', 'd'])
  const inList = (value: string) => ({ place: ['list', { member: 'name', value }], value: { name: value } })
  expect(settingsValue([inList('x'), inList('y'), { place: ['list2', { value: 'z' }], value: 'z' }])).toEqual({
    ...{ list: [{ name: 'x' }, { name: 'y' }], list2: ['z'] },
  })
  expect(['http://a:1/b', 'a b', "it's $1", ''].map((value) => envLine('A', value))).toEqual([
    ...['A=http://a:1/b', "A='a b'", `A="it's $1"`, 'A='],
  ])
})

test('a program is started with the CLI that was found, and a container needs to be let in', () => {
  const program = { command: 'csp', args: ['mcp'] }
  expect(programEntry(program, undefined)).toEqual(program)
  expect<object>(programEntry({ ...program, env: { A: '1' } }, '/claude')).toEqual({
    ...{ ...program, env: { A: '1', CSP_CLAUDE_BIN: '/claude' } },
  })
  const start = (platform: string) => inContainer('n8n', { address: { url }, platform, csp: 'csp' })[2]
  expect([start('linux'), start('darwin')]).toEqual([
    '  csp start --host 172.17.0.1',
    '  csp start --allowed-hosts host.docker.internal',
  ])
})

test('clients read the addresses of pages in the replies that they ask for', async () => {
  const foundBy = (id: string, reply: unknown) => {
    const { request } = byId(id)
    return request.kind === 'http' ? request.found(reply) : undefined
  }
  const results = [{ url: 'https://a.example/' }, { url: '' }, { url: 5 }, {}, null]
  expect(foundBy('hermes', { results })).toEqual(['https://a.example/'])
  expect(foundBy('openclaw', { web: { results } })).toEqual(['https://a.example/'])
  expect(foundBy('open-webui', [{ link: 'https://b.example/' }, 'x'])).toEqual(['https://b.example/'])
  expect([foundBy('litellm', { results: 'x' }), foundBy('n8n', undefined)]).toEqual([[], []])
  const sent = async (id: string, key?: string) => {
    const { request } = byId(id)
    if (request.kind !== 'http') throw new Error('It sends no request.')
    const { url: at, headers, body } = request.search({ url, key }, 'bees & wasps')
    return [at.slice(url.length), headers.get('authorization'), body && (await new Response(body).json())]
  }
  expect(await sent('hermes')).toEqual([
    ...['/tavily/search', null],
    { query: 'bees & wasps', max_results: 5, include_raw_content: false, include_images: false, api_key: 'local' },
  ])
  expect(await sent('librechat', 'k')).toEqual([
    ...['/tavily/search', 'Bearer k'],
    { query: 'bees & wasps', search_depth: 'basic', topic: 'general', max_results: 8, safe_search: true },
  ])
  expect(await sent('open-webui', 'k')).toEqual([
    ...['/open-webui/search', 'Bearer k', { query: 'bees & wasps', count: 3 }],
  ])
  expect((await sent('n8n', 'k'))[1]).toBe(`Basic ${btoa('csp:k')}`)
  expect((await sent('n8n'))[1]).toBeNull()
})
