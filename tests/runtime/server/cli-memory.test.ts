import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { createCliMemory } from '../../../src/runtime/server/cli-memory.ts'

let home: string
let binary: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-cli-memory-'))
  binary = join(home, 'package/cli.js')
  mkdirSync(join(home, 'package'))
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, 'package/package.json'), '{"name": "@anthropic-ai/claude-code"}')
  writeFileSync(binary, '#!/usr/bin/env node\n')
  writeFileSync(join(home, '.claude/.credentials.json'), '{"refreshToken": "secret-of-a-login"}')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const facts = { version: '2.1.328', flags: ['--print'] }
const login = { signedIn: true, authMethod: 'claude.ai', subscription: 'max' }
const file = () => join(home, 'state/claude-cli.json')
const text = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : '')

function memoryOf(
  environment: Readonly<Record<string, string>> = {},
  now?: () => number,
  sandbox = false,
  auth: 'subscription' | 'api-key' = 'subscription',
) {
  const config = { stateDir: join(home, 'state'), auth, sandbox }
  return createCliMemory(config, { HOME: home, PATH: '/bin', ...environment }, now)
}

/** What one csp has found, in the file of the next. */
async function remembered(environment?: Readonly<Record<string, string>>, path = binary) {
  memoryOf(environment).remember(path, facts, login)
  await eventually(() => memoryOf(environment).recall(path).facts !== undefined)
}

test('what one csp has found, the next one knows, and nobody else can read it', async () => {
  expect(memoryOf().recall(binary)).toEqual({})
  await remembered()
  expect(memoryOf().recall(binary)).toEqual({ facts, login })
  expect(memoryOf({ PATH: '/usr/bin', LC_ALL: 'C' }).recall(binary).login).toEqual(login)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(text()).not.toMatch(/secret-of-a-login|credentials/)
})

describe('what is known of models that search within their call', () => {
  const cli = { version: '2.1.328', authMethod: 'claude.ai', subscription: 'max' }
  const model = { hasSearched: true, weights: [7000], vain: 0, cites: true, offUntil: 0, triedAt: 5 }

  test('is kept for the same CLI and login, beside the rest', async () => {
    const memory = memoryOf()
    memory.remember(binary, facts, login)
    await memory.answers?.remember(cli, { sonnet: model })
    expect(memoryOf().recall(binary)).toEqual({ facts, login })
    expect(memoryOf().answers?.recall(cli)).toEqual({ sonnet: model })
    expect(memoryOf().answers?.recall({ ...cli, version: '2.1.329' })).toEqual({})
    expect(memoryOf().answers?.recall({ ...cli, subscription: 'pro' })).toEqual({})
    expect(memoryOf().answers?.recall({ ...cli, authMethod: 'api-key' })).toEqual({})
    expect(memoryOf({}, undefined, false, 'api-key').answers?.recall(cli)).toEqual({})
    expect(memoryOf({ CLAUDE_CODE_OAUTH_TOKEN: 'other' }).answers?.recall(cli)).toEqual({})
    expect(memoryOf({}, () => Date.now() + 31 * 86_400_000).answers?.recall(cli)).toEqual({})
  })

  test('stays small, however often the CLI is updated', async () => {
    const memory = memoryOf()
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`model-${index}`, model]))
    for (let count = 0; count < 20; count++) await memory.answers?.remember({ ...cli, version: `2.1.${count}` }, many)
    expect(text().length).toBeLessThan(50_000)
    expect(memoryOf().answers?.recall({ ...cli, version: '2.1.19' })).toEqual(many)
    expect(memoryOf().answers?.recall({ ...cli, version: '2.1.0' })).toEqual({})
  })

  test('by a name that no model has, or that somebody wrote there, costs nothing else in the file', async () => {
    await remembered()
    const memory = memoryOf()
    await memory.answers?.remember(cli, { sonnet: model, [`claude-${'x'.repeat(300)}`]: model })
    expect(memoryOf().answers?.recall(cli)).toEqual({ sonnet: model })
    writeFileSync(
      file(),
      JSON.stringify({ ...JSON.parse(text()), answers: { key: { at: 1, models: { sonnet: {} } } } }),
    )
    expect(memoryOf().recall(binary)).toEqual({ facts, login })
    expect(memoryOf().answers?.recall(cli)).toEqual({})
  })

  test('is not kept of the sandbox', () => {
    expect(memoryOf({}, undefined, true).answers).toBeUndefined()
  })
})

describe('the login is asked for again', () => {
  test('where the file of the login changed, or is gone', async () => {
    await remembered()
    const credentials = join(home, '.claude/.credentials.json')
    utimesSync(credentials, 1, 1)
    expect(memoryOf().recall(binary)).toEqual({ facts, login: undefined })
    rmSync(credentials)
    expect(memoryOf().recall(binary)).toEqual({ facts, login: undefined })
  })

  test.each([
    [{ CLAUDE_CODE_OAUTH_TOKEN: 'sk-of-another' }],
    [{ CLAUDE_CONFIG_DIR: '/work' }],
    [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }],
    [{ XDG_CONFIG_HOME: '/x' }],
  ])('with %j', async (environment) => {
    await remembered()
    expect(memoryOf(environment).recall(binary)).toEqual({ facts, login: undefined })
    memoryOf(environment).remember(binary, facts, login)
    await eventually(
      () => memoryOf(environment).recall(binary).login !== undefined || 'CLAUDE_CONFIG_DIR' in environment,
    )
    expect(text()).not.toContain('sk-of-another')
  })

  test('after a search that was not signed in, after a day, and where the clock was set back', async () => {
    await remembered()
    for (const days of [1.01, -1.01]) {
      expect(memoryOf({}, () => Date.now() + days * 86_400_000).recall(binary)).toEqual({ facts, login: undefined })
    }
    memoryOf().forgetLogin()
    await eventually(() => memoryOf().recall(binary).login === undefined)
    expect(memoryOf().recall(binary).facts).toEqual(facts)
  })

  test('where it is not in a file, as in a keychain', async () => {
    rmSync(join(home, '.claude'), { recursive: true })
    await remembered()
    expect(memoryOf().recall(binary)).toEqual({ facts, login: undefined })
  })

  test('each sandbox has the same', async () => {
    memoryOf({ HOME: '/scratch/1' }, undefined, true).remember(binary, facts, login)
    await eventually(() => text().includes('2.1.328'))
    expect(memoryOf({ HOME: '/scratch/2' }, undefined, true).recall(binary).login).toEqual(login)
    expect(memoryOf().recall(binary).login).toBeUndefined()
  })
})

describe('the CLI is asked again', () => {
  test('where it was updated in place, or the link to it leads to another', async () => {
    const link = join(home, 'claude')
    symlinkSync(binary, link)
    await remembered({}, link)
    expect(memoryOf().recall(link).facts).toEqual(facts)
    writeFileSync(binary, '#!/usr/bin/env node\n// newer\n')
    expect(memoryOf().recall(link)).toEqual({})
    const other = join(home, 'package/other.js')
    copyFileSync(binary, other)
    rmSync(link)
    symlinkSync(other, link)
    expect(memoryOf().recall(link)).toEqual({})
  })

  test('where it is the launcher of a version manager, behind which the CLI may change', async () => {
    const shim = join(home, 'claude')
    writeFileSync(shim, '#!/bin/sh\nexec asdf exec claude "$@"\n', { mode: 0o755 })
    const memory = memoryOf()
    memory.remember(shim, facts, login)
    await remembered()
    expect(memory.recall(shim)).toEqual({})
    expect(text()).not.toContain(shim)
  })

  test('where there is no login: a probe that failed is not remembered', async () => {
    memoryOf().remember(binary, facts, { signedIn: false })
    await remembered()
    expect(Object.keys(JSON.parse(text()).logins)).toHaveLength(1)
  })

  test.each(['', '{}', '[]', 'null', '{"secret": 1}', '{"secret": "', 'x'.repeat(200_000)])(
    'where the file holds %j, which the next csp replaces',
    async (content) => {
      mkdirSync(join(home, 'state'))
      writeFileSync(file(), content)
      expect(memoryOf().recall(binary)).toEqual({})
      memoryOf().forgetLogin()
      await remembered()
      expect(memoryOf().recall(binary)).toEqual({ facts, login })
    },
  )

  test('where nothing can be written', () => {
    writeFileSync(join(home, 'state'), 'a file in the place of the folder')
    memoryOf().remember(binary, facts, login)
    memoryOf().forgetLogin()
    expect(memoryOf().recall(binary)).toEqual({})
  })
})

test('the file stays small: the last eight are kept', async () => {
  for (let index = 0; index < 12; index++) {
    writeFileSync(binary, `// ${'x'.repeat(index)}`)
    const memory = memoryOf()
    memory.remember(binary, { version: `1.0.${index}`, flags: [] }, login)
    await eventually(() => memory.recall(binary).facts !== undefined)
  }
  const { facts: kept, logins } = JSON.parse(text())
  expect([Object.keys(kept).length, Object.keys(logins).length]).toEqual([8, 8])
})
