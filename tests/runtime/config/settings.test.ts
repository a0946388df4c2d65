import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import {
  type Config,
  configuredLimits,
  excerptSource,
  flagOf,
  namesFile,
  settings,
  settingsOf,
  settingText,
  usedBackends,
  variableOf,
} from '../../../src/runtime/config/settings.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'

const load = (flags: Readonly<Record<string, string | boolean>>, environment = {}): Config =>
  loadConfig(flags, { HOME: '/nowhere', ...environment }, '/').config

test('a setting has one name for each place', () => {
  expect(flagOf('dailySearches')).toBe('daily-searches')
  expect(variableOf('daily-searches')).toBe('CSP_DAILY_SEARCHES')
  const named = (name: string) => settings.find((setting) => setting.name === name)
  expect(named('port')).toMatchObject({
    flag: 'port',
    variable: 'CSP_PORT',
    isFlag: true,
    secret: false,
    default: 52_480,
  })
  expect(named('models')).toMatchObject({ flag: 'models', variable: undefined, isFlag: false })
  expect(named('braveApiKey')).toMatchObject({
    flag: 'BRAVE_API_KEY',
    variable: 'BRAVE_API_KEY',
    secret: true,
    isFlag: false,
  })
})

test('a command takes its own settings as flags, and some take all that can be flags', () => {
  const flags = settings.filter(({ isFlag }) => isFlag)
  expect(flags.length).toBeLessThan(settings.length)
  for (const command of ['serve', 'start', 'restart', 'doctor', 'config']) expect(settingsOf(command)).toEqual(flags)
  expect(settingsOf('logs').map(({ flag }) => flag)).toEqual(['state-dir'])
  expect(settingsOf('nothing')).toEqual([])
})

test.each([
  [3600, 'TIME', '1h'],
  ['2/1', 'TIME', '2/1'],
  [10, 'PERCENT', '10%'],
  [['a', 'b'], 'NAMES', 'a,b'],
  [{ a: 1 }, 'MAP', '{"a":1}'],
  [true, undefined, 'true'],
  [7, 'N', '7'],
])('the value %j of a %s is typed as %j', (value, hint, text) => expect(settingText(value, { hint })).toBe(text))

test('a setting of a FILE, FOLDER or PATH names a file', () => {
  expect(['FILE', 'FOLDER', 'PATH', 'URL', undefined].map((hint) => namesFile({ hint }))).toEqual([
    ...[true, true, true, false, false],
  ])
})

test('a limit of 0 is none, and one that nothing configures is the usual one', () => {
  const limits = (flags: Readonly<Record<string, string>>, usual?: number) => configuredLimits(load(flags), usual)
  expect(limits({})).toEqual({ searchesPerDay: undefined, tokensPerDay: undefined })
  expect(limits({}, 500)).toEqual({ searchesPerDay: 500, tokensPerDay: undefined })
  expect(limits({ 'daily-searches': '0', 'daily-tokens': '7' }, 500)).toEqual({
    ...{ searchesPerDay: undefined, tokensPerDay: 7 },
  })
  expect(limits({ 'daily-searches': '3' }, 500).searchesPerDay).toBe(3)
})

test('backends that only write are used behind those that search, each once', () => {
  const used = (flags: Readonly<Record<string, string>>) => usedBackends(load(flags, { CSP_ANTHROPIC_API_KEY: 'k' }))
  expect(used({})).toEqual(['claude'])
  expect(used({ backends: 'messages', writers: 'ollama/x,claude,messages' })).toEqual(['messages', 'claude'])
  expect(used({ backends: 'claude', writers: 'messages' })).toEqual(['claude', 'messages'])
})

describe('a backend', () => {
  const complaintOf = (flags: Readonly<Record<string, string | boolean>>) => {
    try {
      load(flags)
      return undefined
    } catch (error) {
      if (error instanceof UsageError) return error.message
      throw error
    }
  }

  test('is named with what it lacks, in the order of the setting', () => {
    const brave = 'The backend brave needs a key: set BRAVE_API_KEY.'
    const exa = 'The backend exa needs a key: set EXA_API_KEY.'
    expect(complaintOf({ backends: 'exa,claude,brave' })).toBe(`${exa}\n${brave}`)
    expect(complaintOf({ backends: 'brave,exa' })).toBe(`${brave}\n${exa}`)
    expect(complaintOf({ backends: 'auto' })).toBeUndefined()
    expect(complaintOf({ backends: 'parallel-free,exa-free' })).toBeUndefined()
  })

  test('that writes needs its key as well, except on the sandbox', () => {
    const writer = /^The writer messages needs a key of its own: set CSP_ANTHROPIC_API_KEY\./
    expect(complaintOf({ writers: 'claude,messages' })).toMatch(writer)
    expect(complaintOf({ backends: 'claude,messages', writers: 'messages' })).toMatch(/^The backend messages needs/)
    expect(complaintOf({ writers: 'messages', sandbox: true })).toBeUndefined()
    expect(complaintOf({ backends: 'messages', sandbox: 'tokens=9' })).toBeUndefined()
    expect(complaintOf({ writers: 'claude' })).toBeUndefined()
    expect(complaintOf({ backends: 'brave', sandbox: true })).toContain('brave needs a key')
  })
})

test('on the sandbox its pace is set only where times are given', () => {
  expect(load({ sandbox: true })).toMatchObject({ sandbox: true, sandboxPace: undefined })
  expect(load({ sandbox: 'tokens=9' })).toMatchObject({ sandbox: true })
  expect(load({ sandbox: 'tokens=9' }).sandboxPace).toEqual({ tokensPerSecond: 9 })
  expect(load({ sandbox: 'off' })).toMatchObject({ sandbox: false, sandboxPace: undefined })
  expect(load({ sandbox: ' real ' }).sandboxPace?.models).toEqual({ haiku: { tokensPerSecond: 160 } })
  expect(load({ sandbox: 'search=600000,haiku.search=0' }).sandboxPace).toEqual({
    ...{ searchMs: 600_000, models: { haiku: { searchMs: 0 } } },
  })
})

test.each([
  [{}, 'auto'],
  [{ pages: 'off' }, 'lines'],
  [{ sandbox: true }, 'auto'],
  [{ excerpts: 'pages', sandbox: true }, 'pages'],
  [{ excerpts: 'none', pages: 'off' }, 'none'],
] as const)('with %j excerpts come from %s', (flags, expected) => expect(excerptSource(load(flags))).toBe(expected))

test('only excerpts from pages need pages', () => {
  const refused = (flags: Readonly<Record<string, string>>) => () => load(flags)
  expect(refused({ excerpts: 'pages', pages: 'off' })).toThrow(UsageError)
  expect(load({ excerpts: 'pages', pages: 'search' }).excerpts).toBe('pages')
  expect(load({ excerpts: 'lines', pages: 'off' }).excerpts).toBe('lines')
})
