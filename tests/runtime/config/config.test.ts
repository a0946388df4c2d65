import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { backendNames } from '../../../src/runtime/config/declarations/backends.ts'
import { homeFolder } from '../../../src/runtime/config/home.ts'
import { settings } from '../../../src/runtime/config/settings.ts'
import { unusedBackendsHint } from '../../../src/runtime/config/unused-backends.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-config-'))
afterAll(() => rmSync(home, { recursive: true }))

const load = (flags = {}, environment = {}) => loadConfig(flags, { HOME: home, ...environment }, home)

function fileOf(text: string): string {
  const path = join(mkdtempSync(join(home, 'file-')), 'config.json')
  writeFileSync(path, text)
  return path
}

function complaintOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the home folder', () => {
  // A folder like this, unpacked or cloned, must not decide where queries go.
  const hostile = join(home, 'hostile')
  mkdirSync(join(hostile, '.config/csp'), { recursive: true })
  writeFileSync(join(hostile, '.config/csp/config.json'), '{"backends":["remote"],"remote-url":"http://evil.example"}')

  test.each([{}, { HOME: '' }, { HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '.cache' }])(
    'is that of the account, never the current folder, with %j',
    (environment) => {
      const { path, config } = loadConfig({}, environment, hostile)
      expect(path).toBe(join(userInfo().homedir, '.config/csp/config.json'))
      expect(config.cacheDir).toBe(join(userInfo().homedir, '.cache/csp'))
      expect(config.stateDir).toBe(join(userInfo().homedir, '.local/state/csp'))
      expect(config.remoteUrl).toBeUndefined()
    },
  )

  test('is not taken from a relative path in a variable', () => {
    const { path } = loadConfig({}, { HOME: home, XDG_CONFIG_HOME: '.config' }, hostile)
    expect(path).toBe(join(home, '.config/csp/config.json'))
  })

  test('is asked for where neither HOME nor the account has one', () => {
    const none = () => {
      throw new Error('no such user')
    }
    for (const account of [none, () => '', () => '.']) {
      expect(() => homeFolder({}, account)).toThrow('Set HOME to an absolute path.')
      expect(homeFolder({ HOME: '/home/ann' }, account)).toBe('/home/ann')
    }
    expect(homeFolder({ HOME: '.' }, () => '/home/ann')).toBe('/home/ann')
  })
})

describe('without any setting', () => {
  const { config, origins, path, found, warnings } = load()

  test('the documented defaults hold', () => {
    expect(config).toMatchObject({
      host: ['127.0.0.1'],
      port: 52_480,
      model: 'sonnet',
      concurrency: 5,
      rate: 2,
      maxSessionSearches: 20,
      sessionContext: 'clear',
      timeout: 120,
      cacheTtl: 3600,
      cacheDir: join(home, '.cache', 'csp'),
      excerpts: 'auto',
      evidence: 'report',
      apiKeys: [],
      auth: 'subscription',
      logLevel: 'info',
      logFormat: 'text',
      sandbox: false,
    })
    expect(config.claudeBin).toBeUndefined()
  })

  test('the file is looked for in the configuration folder, and need not be there', () => {
    expect(path).toBe(join(home, '.config', 'csp', 'config.json'))
    expect(found).toBe(false)
    expect(warnings).toEqual([])
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']))
  })
})

test('configuration and cache are in the folders that the XDG variables name', () => {
  const { config, path } = load({}, { XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k' })
  expect(path).toBe('/c/csp/config.json')
  expect(config.cacheDir).toBe('/k/csp')
})

describe('flags win over variables, variables over the file', () => {
  const config = fileOf('{"port": 1, "model": "haiku"}')

  test.each([
    [{}, {}, 1, `${config} line 1`],
    [{}, { CSP_PORT: '2' }, 2, 'CSP_PORT'],
    [{ port: '3' }, { CSP_PORT: '2' }, 3, '--port'],
    [{ port: '3' }, {}, 3, '--port'],
    [{}, { CSP_PORT: '' }, 1, `${config} line 1`],
  ])('so the flags %j with the variables %j give the port %d', (flags, environment, port, origin) => {
    const loaded = load({ config, ...flags }, environment)
    expect(loaded.config.port).toBe(port)
    expect(loaded.origins.port).toBe(origin)
    expect(loaded.config.model).toBe('haiku')
  })

  test('and the file can be named by a variable', () => {
    expect(load({}, { CSP_CONFIG: config }).config.port).toBe(1)
  })
})

test('every setting has a variable but the map of models, and takes its value from it', () => {
  const values: Readonly<Record<string, string>> = {
    sandbox: 'yes',
    auth: 'api-key',
    excerpts: 'none',
    evidence: 'off',
    pages: 'search',
    pagesRobots: 'off',
    pagesBrowser: 'http://127.0.0.1:9222',
    page: 'off',
    warmUp: 'off',
  }
  const words: Readonly<Record<string, string>> = {
    sessionContext: 'keep',
    cacheScope: 'key',
    accessToken: 'id:secret',
    logLevel: 'debug',
    logFormat: 'json',
    allowedOrigins: 'https://a.example',
    backends: 'claude,searxng',
    writers: 'claude',
    searxngUrl: 'http://127.0.0.1:8080',
    remoteUrl: 'http://127.0.0.1:8081',
    connectUrl: 'http://127.0.0.1:8082',
    connectSecret: 'sixteen-of-them!',
    instructions: fileOf('Be brief.'),
    prompts: fileOf('# deep\nDig.'),
    defaultEffort: 'text',
    unknownModels: 'refuse',
    answers: 'pages',
    defaultLanguage: 'de',
    planOnly: 'off',
    gateway: '[]',
    gatewayUrl: 'http://127.0.0.1:8083',
    receipts: 'off',
    memory: 'off',
  }
  const named = settings.filter((setting) => setting.variable)
  expect(settings.length - named.length).toBe(1)
  const environment = Object.fromEntries(
    named.map(({ name, variable }) => [variable ?? '', values[name] ?? words[name] ?? '7']),
  )
  const { origins, warnings } = load({}, environment)
  for (const { name, variable } of named) expect(origins[name]).toBe(variable ?? '')
  expect(warnings).toEqual([])
})

test.each([
  ['90', 90],
  ['90s', 90],
  ['2m', 120],
  ['1h', 3600],
  ['1.5m', 90],
])('a time of %s is %d seconds', (text, seconds) => {
  expect(load({ timeout: text }).config.timeout).toBe(seconds)
})

test.each([
  [{ 'api-keys': 'a, b,,c' }, { apiKeys: ['a', 'b', 'c'] }],
  [{ sandbox: true }, { sandbox: true }],
  [{ backends: 'messages', sandbox: true }, { backends: ['messages'] }],
  [{ 'searxng-url': 'https://s.example/sub/' }, { searxngUrl: 'https://s.example/sub/' }],
  [{ sandbox: 'false' }, { sandbox: false }],
  [{ rate: '0.5' }, { rate: 0.5 }],
  [{ rate: '2/1' }, { rate: '2/1' }],
  [{ sandbox: 'first-token=5, search=0.5' }, { sandboxPace: { firstTokenMs: 5, searchMs: 0.5 } }],
  [
    { sandbox: 'tokens=80,haiku.tokens=160,haiku.search=1' },
    { sandboxPace: { tokensPerSecond: 80, models: { haiku: { tokensPerSecond: 160, searchMs: 1 } } } },
  ],
  [
    { sandbox: 'real' },
    {
      sandbox: true,
      sandboxPace: {
        firstTokenMs: 700,
        tokensPerSecond: 80,
        searchMs: 900,
        models: { haiku: { tokensPerSecond: 160 } },
      },
    },
  ],
  [{ 'cache-ttl': '0' }, { cacheTtl: 0 }],
])('the flags %j are read as the settings %j', (flags, expected) => {
  expect(load(flags).config).toMatchObject(expected)
})

test.each(['fast', 'tokens', 'tokens=', 'tokens=-1', 'speed=3', 'search=900,', 'a.b.tokens=1', 'search=600001'])(
  'a pace of the sandbox of %s is rejected',
  (pace) => {
    expect(complaintOf(() => load({ sandbox: pace }))).toContain('must be true, false, "real", or times such as')
  },
)

test('a file that begins with a byte order mark is read', () => {
  expect(load({ config: fileOf('\uFEFF{"port": 7}') }).config.port).toBe(7)
})

test('the file may have comments and trailing commas, and ~ for the home folder', () => {
  const config = fileOf(
    '// mine\n{\n  /* where */ "port": 7, // a port\n  "state-dir": "~/answers",\n  "backends": ["claude",],\n}\n',
  )
  const { stateDir, port, backends } = load({ config }).config
  expect({ stateDir, port, backends }).toEqual({ stateDir: join(home, 'answers'), port: 7, backends: ['claude'] })
})

test.each([
  ['90', 90],
  ['90s', 90],
  ['1.5m', 90],
  ['1500ms', 1.5],
  ['1h30m', 5400],
  ['1d 2 h', 93_600],
])('a time of %s is read as %d seconds', (text, seconds) => {
  expect(load({ timeout: text }).config.timeout).toBe(seconds)
})

test.each(['', 'm', '1x', '1h-2m', '1 2'])('a time of "%s" is rejected', (text) => {
  expect(complaintOf(() => load({ timeout: text }))).toContain('--timeout must be a time such as')
})

test('a key that stands twice in the file gives a warning, and the last one holds', () => {
  const config = fileOf('{\n  "port": 1,\n  "port": 2\n}')
  const { config: values, warnings, origins } = load({ config })
  expect(values.port).toBe(2)
  expect(origins.port).toBe(`${config} line 3`)
  expect(warnings).toEqual([`${config} line 3: "port" stands there more than once; this one holds.`])
})

test('the file may hold values of any JSON type, and the map of models', () => {
  const config = fileOf(
    '{"api-keys": ["one", "two"], "sandbox": true, "timeout": "2m", "model": null, "models": {"gpt-x": {"effort": "fast", "model": "haiku"}, "deep-x": {"effort": "deep", "research": "high"}}}',
  )
  expect(load({ config }).config).toMatchObject({
    apiKeys: ['one', 'two'],
    sandbox: true,
    timeout: 120,
    models: { 'gpt-x': { effort: 'fast', model: 'haiku' }, 'deep-x': { effort: 'deep', research: 'high' } },
  })
})

test('every setting has a description that fits on a line of help', () => {
  for (const { help } of settings) expect(help).toMatch(/^.{10,90}$/)
})

describe('a wrong value', () => {
  test.each([
    [{ port: 'abc' }, {}, '--port must be a whole number from 0 to 65535, not "abc"'],
    [{ port: '5x' }, {}, '--port must be a whole number from 0 to 65535, not "5x"'],
    [{ port: '1.5' }, {}, '--port must be a whole number from 0 to 65535, not "1.5"'],
    [{}, { CSP_PORT: '70000' }, 'CSP_PORT must be a whole number from 0 to 65535, not "70000"'],
    [
      { timeout: '2 minutes' },
      {},
      '--timeout must be a time such as 90, 90s, 2m or 1h, of 1 s or more, not "2 minutes"',
    ],
    [{ timeout: '0' }, {}, '--timeout must be a time such as 90, 90s, 2m or 1h, of 1 s or more, not "0"'],
    [{ excerpts: 'all' }, {}, '--excerpts must be one of: auto, lines, pages, none, not "all"'],
    [{ excerpts: 'pages', pages: 'off' }, {}, 'Excerpts from pages need --pages search or on.'],
    [
      { sandbox: 'maybe' },
      {},
      '--sandbox must be true, false, "real", or times such as first-token=700,tokens=80,haiku.tokens=160,search=900, not "maybe"',
    ],
    [{ concurrency: '0' }, {}, '--concurrency must be a whole number from 1 to 100, not "0"'],
    [{ rate: '2/0' }, {}, '--rate must be a number from 0 to 1000, or with the most at once: 2/1, not "2/0"'],
    [{ rate: '2000/1' }, {}, '--rate must be a number from 0 to 1000, or with the most at once: 2/1, not "2000/1"'],
    [{ model: ' ' }, {}, '--model must be a model name, such as sonnet, not " "'],
    [
      { backends: 'claude,google' },
      {},
      `--backends must be some of ${backendNames.join(', ')}, auto, each once, with commas between them, not "claude,google"`,
    ],
    [
      { backends: 'claude,claude' },
      {},
      `--backends must be some of ${backendNames.join(', ')}, auto, each once, with commas between them, not "claude,claude"`,
    ],
    [
      { 'searxng-url': 'https://me:secret@s.example' },
      {},
      '--searxng-url must be an address such as http://127.0.0.1:8080, not "https://me:secret@s.example"',
    ],
    [
      { backends: 'searxng' },
      {},
      'The backend searxng needs the address of an instance: set --searxng-url (CSP_SEARXNG_URL), such as http://127.0.0.1:8080.',
    ],
    [{ backends: 'brave' }, {}, 'The backend brave needs a key: set BRAVE_API_KEY.'],
    [
      { backends: 'messages' },
      { ANTHROPIC_API_KEY: 'mine' },
      'The backend messages needs a key of its own: set CSP_ANTHROPIC_API_KEY. ANTHROPIC_API_KEY is never read for it.',
    ],
  ])('is rejected with its place, where the flags are %j and the variables are %j', (flags, environment, message) => {
    expect(complaintOf(() => load(flags, environment))).toBe(message)
  })

  test('in the file is rejected with the line of the key itself and not of one within', () => {
    const config = fileOf('{\n  "models": {"port": {"effort": "fast"}},\n  "model": "port",\n  "port": "x"\n}')
    expect(complaintOf(() => load({ config }))).toBe(
      `${config} line 4: "port" must be a whole number from 0 to 65535, not "x"`,
    )
  })

  test('within the map of models or an upstream is rejected with its name and its own line', () => {
    const models = fileOf('{"models": {\n  "a": {\n    "effort": "quick"}}}')
    expect(complaintOf(() => load({ config: models }))).toStartWith(`${models} line 3: "models": a: effort: `)
    const gateway = fileOf('{"gateway": [\n  {"name": "one",\n    "url": "here"}]}')
    expect(complaintOf(() => load({ config: gateway }))).toStartWith(`${gateway} line 3: "gateway": 0: url: must be `)
  })

  test('is rejected together with every other one', () => {
    expect(complaintOf(() => load({ port: 'x' }, { CSP_RATE: 'y' })).split('\n')).toHaveLength(2)
  })

  test('that is a key is rejected without being repeated', () => {
    for (const flag of ['api-keys', 'BRAVE_API_KEY', 'anthropic-api-key']) {
      expect(complaintOf(() => load({ [flag]: 'very secret' }))).not.toContain('secret')
    }
  })

  test.each([
    ['{"port": }', 'is not JSON. Line 1: a value is missing.'],
    ['{\n  "port": 1\n  "model": "haiku"\n}', 'is not JSON. Line 3: a comma is missing before it.'],
    ['{\n  port: 1\n}', 'is not JSON. Line 2: a word that JSON does not have; texts stand between double quotes.'],
    ['{\n  "port": 1', 'is not JSON. Line 2: the closing } is missing.'],
    ['{"model": "haiku', 'is not JSON. Line 1: a text has no closing quote.'],
    ['[1]', 'must hold one JSON object'],
    ['', 'is not JSON. Line 1: a value is missing.'],
  ])('such as a file that holds %s is rejected', (text, message) => {
    const config = fileOf(text)
    expect(complaintOf(() => load({ config }))).toContain(`The configuration file ${config} ${message}`)
  })

  test('such as a pipe, to read which might never end, is rejected', () => {
    const config = join(home, 'pipe')
    if (process.platform === 'win32' || !Bun.spawnSync(['mkfifo', config]).success) return
    expect(complaintOf(() => load({ config }))).toBe(`The configuration file ${config} is not a file.`)
  })

  test('such as the name of a file that is not there is rejected', () => {
    expect(complaintOf(() => load({ config: 'none.json' }))).toBe(
      `There is no configuration file at ${join(home, 'none.json')}.`,
    )
  })
})

describe('an unknown name', () => {
  test('in the file gives a warning with the nearest key', () => {
    const config = fileOf('{\n  "prot": 1,\n  "colour": 2\n}')
    expect(load({ config }).warnings).toEqual([
      `${config} line 2: "prot" is not a setting. Did you mean "port"?`,
      `${config} line 3: "colour" is not a setting and was ignored.`,
    ])
  })

  test('gives a warning without a suggestion where no name is near', () => {
    const config = fileOf('{"pxxt": 1}')
    expect(load({ config }).warnings).toEqual([`${config} line 1: "pxxt" is not a setting and was ignored.`])
  })

  test('among the variables gives a warning with the nearest variable', () => {
    expect(load({}, { CSP_TIMEOUTS: '3' }).warnings).toEqual([
      'CSP_TIMEOUTS is not a setting. Did you mean CSP_TIMEOUT?',
    ])
  })
})

describe('--backends auto', () => {
  const backendsWith = (environment: Readonly<Record<string, string>>) =>
    load({ backends: 'auto' }, environment).config.backends

  test('asks what is set up, and Claude last', () => {
    expect(backendsWith({})).toEqual(['claude'])
    expect(backendsWith({ CSP_SEARXNG_URL: 'http://127.0.0.1:8080', BRAVE_API_KEY: 'k' })).toEqual([
      'brave',
      'searxng',
      'claude',
    ])
    expect(backendsWith({ CSP_ANTHROPIC_API_KEY: 'k', CSP_REMOTE_URL: 'http://127.0.0.1:1' })).toEqual([
      'messages',
      'remote',
      'claude',
    ])
    expect(backendsWith({ ANTHROPIC_API_KEY: 'k' })).toEqual(['claude'])
  })

  test('stands alone', () => {
    expect(complaintOf(() => load({ backends: 'auto,brave' }, {}))).toContain('--backends auto stands alone.')
  })
})

test('what is set up and not used is named with the place where it is set', () => {
  expect(unusedBackendsHint(load({}, {}))).toBeUndefined()
  const environment = { BRAVE_API_KEY: 'secret', CSP_SEARXNG_URL: 'http://127.0.0.1:8080' }
  expect(unusedBackendsHint(load({}, environment))).toBe(
    'Set up but not used: brave (BRAVE_API_KEY), searxng (CSP_SEARXNG_URL). --backends auto asks in this order, the next where one fails: brave, searxng, claude.',
  )
  expect(unusedBackendsHint(load({ backends: 'claude,brave' }, environment))).toContain(
    'used: searxng (CSP_SEARXNG_URL).',
  )
  expect(unusedBackendsHint(load({ backends: 'auto' }, environment))).toBeUndefined()
})
