import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig, loadConfigAnyway } from '../../../src/runtime/config/config.ts'
import { parseConfigFile, readConfigFile, readTextFile } from '../../../src/runtime/config/config-file.ts'
import { newerFormat, newerState, refuseNewerState, requireStateFolder } from '../../../src/runtime/config/formats.ts'
import { configPath, folderIn, stateFolder } from '../../../src/runtime/config/home.ts'
import { withValue } from '../../../src/runtime/config/json-edits.ts'
import { maxInstructions, readInstructions, readPrompts } from '../../../src/runtime/config/prompt-files.ts'
import { proxyFiles } from '../../../src/runtime/config/proxy-files.ts'
import { parseStoredKeys, printStoredKeys, type StoredKey } from '../../../src/runtime/config/stored-keys.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'
import { version } from '../../../src/runtime/version.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-config-files-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home with these files. */
function homeWith(files: Readonly<Record<string, string>> = {}): string {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return home
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

describe('places', () => {
  test('an empty variable is as good as none', () => {
    const HOME = '/home/ann'
    expect(configPath({}, { HOME, CSP_CONFIG: '' }, '/here')).toBe('/home/ann/.config/csp/config.json')
    expect(configPath({}, { HOME, CSP_CONFIG: 'own.json' }, '/here')).toBe('/here/own.json')
    expect(configPath({ config: 'flag.json' }, { HOME, CSP_CONFIG: 'own.json' }, '/here')).toBe('/here/flag.json')
    expect(stateFolder({ HOME, CSP_STATE_DIR: '' })).toBe('/home/ann/.local/state/csp')
    expect(stateFolder({ HOME, CSP_STATE_DIR: '/state' })).toBe('/state')
    expect(folderIn({ HOME, XDG_CACHE_HOME: '' }, 'XDG_CACHE_HOME', '.cache')).toBe('/home/ann/.cache/csp')
  })
})

describe('a configuration file', () => {
  const load = (text: string, more: Readonly<Record<string, string>> = {}) => {
    const home = homeWith({ '.config/csp/config.json': text })
    const path = join(home, '.config/csp/config.json')
    return { home, path, loaded: () => loadConfig({}, { HOME: home, ...more }, home) }
  }

  test('has ~ for the home folder in the names of files alone', () => {
    const { loaded, home } = load(
      '{"model": "~/x", "claude-bin": "~/claude", "state-dir": "~x", "gateway-trace": "~\\\\t"}',
    )
    expect(loaded().config).toMatchObject({
      ...{ model: '~/x', claudeBin: join(home, 'claude'), stateDir: join(home, '~x'), gatewayTrace: join(home, 't') },
    })
  })

  test('is refused at the line of what is within, or of what lacks it', () => {
    const missing = load('{\n"models": {\n"a": {},\n"b": {"effort": "fast"}}}')
    expect(complaintOf(missing.loaded)).toStartWith(`${missing.path} line 3: "models": a: effort: `)
    const second = load('{"gateway": [{"name": "one", "url": "http://a.example"},\n{"name": "two",\n"url": 3}]}')
    expect(complaintOf(second.loaded)).toStartWith(`${second.path} line 3: "gateway": 1: url: `)
    const whole = load('{"models": 5}')
    expect(complaintOf(whole.loaded)).toBe(
      `${whole.path} line 1: "models" must map names to objects such as {"effort": "fast", "model": "haiku"}, not 5`,
    )
    const list = load('{"allowed-hosts": [1]}')
    expect(complaintOf(list.loaded)).toBe(
      `${list.path} line 1: "allowed-hosts" must be host names with commas between them, not [1]`,
    )
  })

  test.each([
    ['{"a": 1\n\n', 3],
    ['{"a": 1\n\n  "b": 2}', 3],
    ['{"a":\n\n  }', 3],
    ['{"a": 1}\n\n x', 3],
  ])('is no JSON in the line of what is wrong: %j', (text, line) => {
    expect(complaintOf(() => parseConfigFile('c.json', text))).toContain(`Line ${line}: `)
  })

  test('knows the line of each key, of the last one of a name, and 1 for none', () => {
    const file = parseConfigFile('c.json', '{\n"a": 1,\n"a": {"b":\n[1,\n2]},\n"c": 1,\n"a": 2, "c": 3}')
    expect(file.repeated).toEqual(['a', 'c'])
    expect([file.lineOf('a'), file.lineOf('b'), file.lineOf('c')]).toEqual([7, 1, 7])
    const nested = parseConfigFile('c.json', '{"a": {"b":\n[1,\n2]}}')
    expect([nested.lineOf('a', 'b'), nested.lineOf('a', 'b', 1), nested.lineOf('a', 'b', 7)]).toEqual([1, 3, 1])
  })

  test('is nothing where it is not there, and refused where it cannot be read', () => {
    const home = homeWith({ file: '{}' })
    expect(readConfigFile(join(home, 'none'))).toBeUndefined()
    expect(readTextFile('file', join(home, 'file/below'))).toBeUndefined()
    expect(complaintOf(() => readTextFile('list', home))).toBe(`The list ${home} is not a file.`)
    expect(complaintOf(() => readTextFile('list', 'x'.repeat(5000)))).toMatch(
      /^The list x+ cannot be read \(ENAMETOOLONG\)\.$/,
    )
  })

  test('is left out for commands that mend it, which know what is wrong', () => {
    const home = homeWith({ '.config/csp/config.json': '{"port": "x"}' })
    const environment = { HOME: home, CSP_MODEL: 'opus' }
    const path = join(home, '.config/csp/config.json')
    const wrong = loadConfigAnyway({}, environment, home)
    expect(wrong).toMatchObject({ found: true, path, problem: expect.stringContaining('"port" must be') })
    expect(wrong.config).toMatchObject({ model: 'opus', port: 52_480 })
    const none = loadConfigAnyway({ config: 'none.json' }, environment, home)
    expect(none).toMatchObject({
      found: false,
      problem: `There is no configuration file at ${join(home, 'none.json')}.`,
    })
    expect(loadConfigAnyway({}, { HOME: homeWith() }, '/').problem).toBeUndefined()
  })

  test('is a file that is named or one that need not be there', () => {
    const home = homeWith()
    expect(loadConfig({}, { HOME: home }, home).found).toBe(false)
    expect(complaintOf(() => loadConfig({}, { HOME: home, CSP_CONFIG: 'x.json' }, home))).toContain('x.json')
    expect(() => loadConfig({ colour: 'red' }, { HOME: home }, home)).toThrow(
      new TypeError('There is no flag --colour.'),
    )
  })
})

describe('variables in the files of proxies', () => {
  const text = [
    'export OPENAI_API_KEY = "quoted key" # mine',
    "ANTHROPIC_DEFAULT_OPUS_MODEL='big'\r",
    ' ANTHROPIC_DEFAULT_SONNET_MODEL=mid#1  # a comment',
    'ANTHROPIC_DEFAULT_HAIKU_MODEL=',
    '# OTHER=1',
    '3=x',
  ].join('\n')

  test('are read with quotes, comments and export', () => {
    const home = homeWith({ '.claude/proxy.env': text, '.claude-code-proxy': 'OPENAI_API_KEY=second' })
    const [first, second, ...more] = proxyFiles({ HOME: home })
    expect(first).toEqual([
      join(home, '.claude/proxy.env'),
      new Map([
        ['OPENAI_API_KEY', 'quoted key'],
        ['ANTHROPIC_DEFAULT_OPUS_MODEL', 'big'],
        ['ANTHROPIC_DEFAULT_SONNET_MODEL', 'mid#1'],
        ['ANTHROPIC_DEFAULT_HAIKU_MODEL', ''],
      ]),
    ])
    expect(second?.[1].get('OPENAI_API_KEY')).toBe('second')
    expect(more).toEqual([])
    expect([...proxyFiles({ HOME: homeWith() })]).toEqual([])
  })

  test('are settings where nothing else is, the first file that has one', () => {
    const second = 'OPENAI_API_KEY=second\nANTHROPIC_DEFAULT_HAIKU_MODEL=small\nCSP_MODEL=opus\nmodel=opus'
    const home = homeWith({ '.claude/proxy.env': text.replace('quoted key', 'k'), '.claude-code-proxy': second })
    const { config, origins } = loadConfig({}, { HOME: home, ANTHROPIC_DEFAULT_OPUS_MODEL: 'own' }, home)
    expect(config).toMatchObject({
      ...{ gatewayKey: 'k', gatewayOpus: 'own', gatewaySonnet: 'mid#1', gatewayHaiku: 'small', model: 'sonnet' },
    })
    expect([origins.gatewayKey, origins.gatewayOpus, origins.gatewayHaiku, origins.model]).toEqual([
      ...[join(home, '.claude/proxy.env'), 'ANTHROPIC_DEFAULT_OPUS_MODEL', join(home, '.claude-code-proxy'), 'default'],
    ])
  })
})

test('instructions and prompts have 4000 characters at most', () => {
  const most = 'x'.repeat(maxInstructions)
  const home = homeWith({ most, more: `${most}x`, spaces: ' \n  Be brief. \n', prompts: `# deep\n${most}` })
  const at = (name: string) => join(home, name)
  expect(maxInstructions).toBe(4000)
  expect(readInstructions(at('most'))).toBe(most)
  expect(readInstructions(at('spaces'))).toBe('Be brief.')
  expect(complaintOf(() => readInstructions(at('more')))).toContain('has 4001 characters; at most 4000')
  expect(complaintOf(() => readInstructions(at('none')))).toBe(`There is no file of instructions at ${at('none')}.`)
  expect(readPrompts(at('prompts'))).toEqual({ deep: most })
  expect(complaintOf(() => readPrompts(at('none')))).toBe(`There is no file of prompts at ${at('none')}.`)
})

describe('a file of prompts', () => {
  const read = (text: string) => readPrompts(join(homeWith({ p: text }), 'p'))

  test('has each under its heading, with whatever stands behind the name', () => {
    expect(read('\n \n# standard: of the writer\r\nOne.\r\n## Tone\r\nTerse.\n\n#  deep \nTwo.\n#deep\n')).toEqual({
      ...{ standard: 'One.\n## Tone\nTerse.', deep: 'Two.\n#deep' },
    })
  })

  test.each([
    ['\n# standard\nOne.\n# other\n', 4, 'No prompt of this name can be replaced, only standard and deep.'],
    ['# deep\nOne.\n# deep: again', 3, 'deep is there twice.'],
    ['\nOne.', 2, 'A heading must come first: # standard or # deep.'],
    [' \n', 1, 'There is no prompt. Each stands under a heading: # standard or # deep.'],
    ['# standard\nOne.\n# deep\n \n', 3, 'There is no text under deep.'],
    [`# standard\nOne.\n# deep\n${'x'.repeat(4001)}`, 3, 'deep has 4001 characters; at most 4000 are allowed.'],
  ])('is refused with the line: %j', (text, line, message) => {
    expect(complaintOf(() => read(text))).toEndWith(`/p line ${line}: ${message}`)
  })
})

describe('a file of keys', () => {
  const key: StoredKey = {
    ...{ name: 'phone', digest: 'a'.repeat(64), created: '2026-01-02T03:04:05Z' },
    limits: { searchesPerMinute: 1, searchesPerDay: 2, tokensPerDay: 3, planReserve: 100 },
  }
  const none = {
    searchesPerMinute: undefined,
    searchesPerDay: undefined,
    tokensPerDay: undefined,
    planReserve: undefined,
  }

  test('is read as it was written', () => {
    const plain = { ...key, name: 'desk.1_a-b', limits: none }
    expect(parseStoredKeys(printStoredKeys([key, plain]))).toEqual([key, plain])
    expect(printStoredKeys([key])).toMatch(/^\{\n {2}"version": 1,\n {2}"keys": \[\n[\s\S]*\}\n$/)
    expect(parseStoredKeys(printStoredKeys([]))).toEqual([])
  })

  test.each([
    ['no JSON', () => '{'],
    ['another version', (text: string) => text.replace('"version": 1', '"version": 2')],
    ['a name that csp gives to others', (text: string) => text.replace('phone', 'key-1')],
    ['a digest of another length', (text: string) => text.replace('aa', 'a')],
    ['a limit of 0', (text: string) => text.replace('"per-day": 2', '"per-day": 0')],
    ['a part of more than all', (text: string) => text.replace('100', '101')],
    ['an unknown member', (text: string) => text.replace('"per-day"', '"per-week"')],
    ['two keys of one name', (text: string) => text.replace(/"keys": \[([\s\S]*)\]/, '"keys": [$1, $1]')],
  ])('with %s is not taken for one', (_, change) => {
    expect(parseStoredKeys(change(printStoredKeys([key])))).toBeUndefined()
  })
})

describe('a format', () => {
  const head = (value: object) => JSON.stringify(value)

  test('that is newer says who wrote it, and what this csp reads', () => {
    const newer = newerFormat('The file', head({ version: 3, 'written-by': '9.9.9' }), 2)
    expect(newer).toStartWith(
      `The file has format 3, which csp 9.9.9 wrote; csp ${version} reads format 2. Upgrade csp: `,
    )
    expect(newerFormat('The file', head({ version: 3 }), 2)).toContain('which a newer csp wrote')
    expect(newerFormat('The file', head({ version: 3, 'written-by': 'x'.repeat(40) }), 2)).toContain('xx wrote')
    expect(newerFormat('The file', head({ version: 3, 'written-by': 'x'.repeat(41) }), 2)).toBeUndefined()
    for (const text of [head({ version: 2 }), head({ version: 'x' }), head({ version: 0 }), '{', ''])
      expect(newerFormat('The file', text, 2)).toBeUndefined()
  })

  test('of a state folder is that of its file, if it has one', () => {
    const newer = homeWith({ 'format.json': head({ version: 2 }) })
    expect(newerState(newer)).toMatch(/^The state folder .* has format 2.* Or name another folder with --state-dir\.$/)
    expect(() => refuseNewerState(newer)).toThrow(UsageError)
    for (const folder of [
      homeWith(),
      homeWith({ 'format.json': head({ version: 1 }) }),
      homeWith({ 'format.json/x': '' }),
    ]) {
      expect(newerState(folder)).toBeUndefined()
      refuseNewerState(folder)
    }
  })

  test('of a state folder that cannot be one is refused, and none is made', () => {
    const home = homeWith({ file: '' })
    requireStateFolder(home)
    requireStateFolder(join(home, 'not/yet'))
    expect(readdirSync(home)).toEqual(['file'])
    for (const name of ['file', 'file/below']) {
      const complaint = complaintOf(() => requireStateFolder(join(home, name)))
      expect(complaint).toBe(`The state folder ${join(home, name)} cannot be read (ENOTDIR). Run: csp doctor`)
    }
  })
})

test('a value of JSON is set and removed where it is', () => {
  expect(withValue('{\n  "a": {\n    "b": 1\n  }\n}', ['a', 'c'], 2)).toBe(
    '{\n  "a": {\n    "b": 1,\n    "c": 2\n  }\n}',
  )
  expect(withValue('{"a": {"b": 1}}', ['a', 'c'], 2)).toBe('{"a": {"b": 1, "c": 2}}')
  expect(withValue('{\n\t"a": 1\n}', ['b'], { c: 1 })).toBe('{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}')
  expect(withValue('{\n    "a": 1\n}', ['b'], { c: 1 })).toBe('{\n    "a": 1,\n    "b": {\n        "c": 1\n    }\n}')
  expect(withValue('{\n  "a": 1,\n  "b": 2\n}', ['a'], undefined)).toBe('{\n  "b": 2\n}')
  expect(withValue('{"a": {"b": 1 /* , */ ,}}', ['a', 'b'], undefined)).toBe('{"a": { /* , */ }}')
  expect(withValue('{"a": {"b": 1}, "c": 2}', ['a', 'b'], undefined)).toBe('{"a": {}, "c": 2}')
})
