import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileAt, findClaude, installFolders } from '../../../../../src/executor/backends/claude/cli/find.ts'
import {
  childEnvironment,
  directArguments,
  ensureDirectory,
  optionalFlags,
  requiredFlags,
  strayCredentials,
  type WorkerKind,
  workerArguments,
} from '../../../../../src/executor/backends/claude/cli/launch.ts'
import { type ScratchHome, scratchHome } from '../../../../support/real-claude.ts'

/** Variables that set the CLI up; they stand in every child, whatever csp's own environment says. */
const own = {
  CLAUDE_CODE_EFFORT_LEVEL: 'low',
  CLAUDE_CODE_MAX_RETRIES: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION: '100000',
  CLAUDE_CODE_WEB_SEARCH_REFILLS_PER_HOUR: '3600',
  DISABLE_AUTOUPDATER: '1',
}

const passes = [
  ...['HOME', 'USER', 'LOGNAME', 'PATH', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  ...['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SystemRoot', 'ComSpec'],
]

/** What bills something other than the subscription. */
const credentials = [
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'AWS_REGION', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ...['CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_FOUNDRY_RESOURCE'],
  'VERTEX_REGION_CLAUDE_HAIKU',
]

const never = [
  ...['NODE_OPTIONS', 'BUN_OPTIONS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'ENV'],
  ...['ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS', 'MAX_THINKING_TOKENS'],
  ...['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SKIP_BEDROCK_AUTH', 'NODE_TLS_REJECT_UNAUTHORIZED'],
  ...['OPENAI_API_KEY', 'GITHUB_TOKEN', 'SSH_AUTH_SOCK', 'CSP_API_KEYS', 'CSP_CLAUDE_BIN', 'PWD', 'SHELL', 'path'],
  ...['XAWS_REGION', 'MY_ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY_OLD'],
]

const environment = { ...of([...passes, ...credentials, ...never]), ...invert(own), ABSENT: undefined }

function of(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `value of ${name}`]))
}

function invert(variables: object): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, 'something else']))
}

describe('the environment of the CLI', () => {
  test('for the subscription is the allow-list and nothing else', () => {
    expect(childEnvironment({ environment, auth: 'subscription', effort: 'low' })).toEqual({ ...of(passes), ...own })
  })

  test('for an API key has the credentials too', () => {
    const child = childEnvironment({ environment, auth: 'api-key', effort: 'low' })
    expect(child).toEqual({ ...of([...passes, ...credentials]), ...own })
  })

  test('names the model and the effort', () => {
    const child = childEnvironment({ environment: {}, auth: 'subscription', model: 'haiku', effort: 'high' })
    expect(child).toEqual({ ...own, CLAUDE_CODE_EFFORT_LEVEL: 'high', ANTHROPIC_MODEL: 'haiku' })
  })

  test('leaves variables out that would bill another account, and names those that are set', () => {
    expect(strayCredentials(environment)).toEqual(credentials.slice(0, 6))
    expect(strayCredentials({ ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: undefined })).toEqual([])
  })
})

describe('the arguments of the CLI', () => {
  const all = new Set([...requiredFlags, ...optionalFlags])

  test('of a worker restrict it, and give none but the searcher a tool of the CLI', () => {
    const tight = ['--strict-mcp-config', '--setting-sources=', '--restricted', '--no-session-persistence']
    for (const kind of ['writer', 'searcher', 'answerer', 'chat'] as const) {
      expect(workerArguments(kind, 'Be good.', all)).toEqual(expect.arrayContaining(tight))
      expect(workerArguments(kind, 'Be good.', all).join(' ')).toContain('--permission-prompts none')
    }
    const toolsOf = (kind: WorkerKind) => workerArguments(kind, '', all).filter((argument) => /tools=/i.test(argument))
    for (const kind of ['writer', 'answerer', 'chat'] as const)
      expect(toolsOf(kind)).toEqual(['--tools=', '--allowedTools=mcp__client'])
    expect(toolsOf('searcher')).toEqual(['--tools=WebSearch', '--allowedTools=WebSearch,mcp__client'])
  })

  test('leave out what the CLI does not know, and use only flags that csp looks for', () => {
    const bare = workerArguments('searcher', 'Be good.', new Set(requiredFlags))
    for (const flag of optionalFlags) expect(bare).not.toContain(flag)
    const used = [...directArguments, ...workerArguments('searcher', 'Be good.', all)]
      .filter((argument) => argument.startsWith('--'))
      .map((argument) => argument.replace(/=.*/, ''))
    expect([...new Set(used)].toSorted()).toEqual([...all].toSorted())
  })
})

describe('the search for the CLI', () => {
  let scratch: ScratchHome
  let paths: { named: string; first: string; second: string; packaged: string; root: string }
  beforeAll(async () => {
    scratch = await scratchHome()
    const place = (...names: string[]) => join(scratch.path, ...names)
    const packaged = place('root', 'node_modules', '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`)
    paths = {
      named: place('named', 'my-claude'),
      first: place('first', 'claude'),
      second: place('second', 'claude'),
      packaged: join(packaged, 'claude'),
      root: place('root'),
    }
    for (const path of [paths.named, paths.first, paths.second, paths.packaged]) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '#!/bin/sh\n')
      chmodSync(path, 0o755)
    }
    writeFileSync(join(packaged, 'package.json'), '{"name":"claude-code","version":"1.0.0"}')
    mkdirSync(place('folder', 'claude'), { recursive: true })
    mkdirSync(place('plain'))
    writeFileSync(place('plain', 'claude'), 'no program')
    chmodSync(place('plain', 'claude'), 0o644)
    // What npm leaves there when it may not run the package's install script.
    mkdirSync(place('stub'))
    writeFileSync(place('stub', 'claude'), 'echo "Error: claude native binary not installed." >&2\n')
    chmodSync(place('stub', 'claude'), 0o755)
  })
  afterAll(() => scratch[Symbol.asyncDispose]())

  const pathOf = (...folders: string[]) => folders.map((folder) => join(scratch.path, folder)).join(':')

  test('takes the configured program, and no other when that is missing', () => {
    const PATH = pathOf('first')
    expect(findClaude({ CSP_CLAUDE_BIN: paths.named, PATH }, [paths.root])).toBe(paths.named)
    expect(findClaude({ CSP_CLAUDE_BIN: `${paths.named}-not`, PATH }, [paths.root])).toBeUndefined()
    expect(findClaude({ CSP_CLAUDE_BIN: dirname(paths.named), PATH }, [paths.root])).toBeUndefined()
    expect(findClaude({ CSP_CLAUDE_BIN: '', PATH }, [paths.root])).toBe(paths.first)
  })

  test('takes the first program on PATH that can be run', () => {
    const PATH = pathOf('nowhere', 'folder', 'plain', 'stub', 'second', 'first')
    expect(findClaude({ PATH }, [paths.root])).toBe(paths.second)
  })

  test('returns an absolute path, and never one from a relative folder in PATH', () => {
    const here = relative(process.cwd(), dirname(paths.first))
    expect(findClaude({ PATH: `:${here}:${pathOf('second')}` })).toBe(paths.second)
    expect(findClaude({ CSP_CLAUDE_BIN: join(here, 'claude') })).toBe(paths.first)
  })

  test('takes the one among the packages when PATH has none', () => {
    expect(findClaude({ PATH: pathOf('nowhere') }, [join(scratch.path, 'named'), paths.root])).toBe(paths.packaged)
    expect(findClaude({}, [paths.root])).toBe(paths.packaged)
  })

  test('takes native programs of Linux and macOS, and no other file that may be run', () => {
    const folder = join(scratch.path, 'native')
    mkdirSync(folder)
    const begins = ['7f454c46', 'cffaedfe', 'cefaedfe', 'feedfacf', 'feedface', 'cafebabe', '7f454c47', '23', '']
    const found = begins.map((head) => {
      writeFileSync(join(folder, 'claude'), Buffer.from(head, 'hex'), { mode: 0o755 })
      return findClaude({ PATH: folder }, [], []) !== undefined
    })
    expect(found).toEqual([true, true, true, true, true, true, false, false, false])
  })

  test('sees that another file has taken its place, and that there is none', () => {
    const [path, other] = [join(scratch.path, 'link'), join(scratch.path, 'other')]
    const seen = [fileAt(undefined), fileAt(path)]
    expect(seen).toEqual([undefined, undefined])
    symlinkSync(paths.first, path)
    seen.push(fileAt(path))
    expect(fileAt(path)).toBe(fileAt(paths.first))
    rmSync(path)
    symlinkSync(paths.second, path)
    seen.push(fileAt(path))
    rmSync(path)
    for (const text of ['#!/bin/sh', '#!/bin/sh\n', '#!/bin/ash']) {
      writeFileSync(other, text)
      renameSync(other, path)
      seen.push(fileAt(path))
    }
    expect(new Set(seen).size).toBe(6) // the first two are the same
    expect(seen.slice(2)).not.toContain(undefined)
  })

  test('finds nothing where no CLI is installed', () => {
    expect(findClaude({ PATH: pathOf('nowhere') }, [join(scratch.path, 'named')], [])).toBeUndefined()
    expect(findClaude({}, [], [])).toBeUndefined()
  })

  const home = '/home/ann'
  test.each([
    ['the vendor’s installer', '/home/ann/.local/bin', { HOME: home }],
    ['the vendor’s installer on Windows', '/home/ann/.local/bin', { USERPROFILE: home }],
    ['the vendor’s installer of before', '/home/ann/.claude/local', { HOME: home }],
    [
      'npm, beside the launcher’s node',
      '/home/ann/.nvm/versions/node/v22/bin',
      { CSP_NODE: '/home/ann/.nvm/versions/node/v22/bin/node' },
    ],
    ['npm with a prefix in a variable', '/opt/npm/bin', { npm_config_prefix: '/opt/npm' }],
    ['npm with its usual prefix in the home folder', '/home/ann/.npm-global/bin', { HOME: home }],
    ['Homebrew on Apple silicon', '/opt/homebrew/bin', {}],
    ['npm with its own prefix, and Homebrew on Intel', '/usr/local/bin', {}],
  ])('looks where %s puts the CLI: %s', (_, folder, environment) => {
    expect(installFolders(environment)).toContain(folder)
  })

  test('finds it in the folder of an installer, after those of PATH and before the packages', () => {
    const local = join(scratch.path, 'ann/.local/bin/claude')
    mkdirSync(dirname(local), { recursive: true })
    writeFileSync(local, '#!/bin/sh\n', { mode: 0o755 })
    const HOME = join(scratch.path, 'ann')
    expect(findClaude({ HOME, PATH: '/usr/bin-not' }, [paths.root])).toBe(local)
    expect(findClaude({ HOME, PATH: pathOf('second') }, [paths.root])).toBe(paths.second)
  })

  test('finds it beside the prefix that the user has set for npm', () => {
    const HOME = join(scratch.path, 'bob')
    mkdirSync(HOME)
    writeFileSync(join(HOME, '.npmrc'), 'save-exact=true\nprefix = ~/tools\n')
    const folders = installFolders({ HOME })
    expect(folders).toContain(join(HOME, 'tools/bin'))
    expect(folders).not.toContain(join(HOME, 'bin'))
    writeFileSync(join(HOME, '.npmrc'), 'save-exact=true\n')
    expect(installFolders({ HOME })).toEqual(folders.filter((folder) => folder !== join(HOME, 'tools/bin')))
    expect(folders.slice(-4)).toEqual([...installFolders({})]) // without a home there are those of the system
  })
})

describe('the working folder of the CLI', () => {
  let home: ScratchHome
  beforeAll(async () => {
    home = await scratchHome()
  })
  afterAll(() => home[Symbol.asyncDispose]())

  test('is created again when it is gone', () => {
    const path = join(home.path, 'gone')
    ensureDirectory(path)
    expect(existsSync(path)).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test('is not created in the folder of another user, where it would look like an old one the next time', () => {
    const path = join(home.path, 'within')
    const users = [statSync(home.path).uid, statSync(home.path).uid + 1]
    const user = spyOn(process, 'getuid').mockImplementation(() => users.shift() ?? -1)
    try {
      expect(() => ensureDirectory(path)).toThrow('belongs to another user')
    } finally {
      user.mockRestore()
    }
    expect(existsSync(path)).toBe(false)
  })

  test('is not used when it belongs to another user', () => {
    const path = join(home.path, 'theirs')
    mkdirSync(path)
    const user = spyOn(process, 'getuid').mockReturnValue(statSync(path).uid + 1)
    try {
      expect(() => ensureDirectory(path)).toThrow('belongs to another user')
    } finally {
      user.mockRestore()
    }
    ensureDirectory(path)
  })

  test('is not used when a file or a link to a folder stands in its place', () => {
    const [file, link] = [join(home.path, 'file'), join(home.path, 'link')]
    writeFileSync(file, '')
    symlinkSync(home.path, link)
    for (const path of [file, link]) expect(() => ensureDirectory(path)).toThrow('The folder that Claude runs in')
  })
})
