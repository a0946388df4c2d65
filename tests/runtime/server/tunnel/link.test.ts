import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import type { LinkState } from '../../../../src/runtime/server/tunnel/connect-home.ts'
import {
  describeState,
  isTrouble,
  linkSettings,
  onlyNews,
  openLink,
} from '../../../../src/runtime/server/tunnel/link.ts'
import { minSecretLength } from '../../../../src/tunnel/login.ts'
import { testNeeding } from '../../../support/needs.ts'
import { found, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { fakeEdge } from './fake-edge.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-link-'))
afterAll(() => rmSync(home, { recursive: true }))

function settingsWith(secret: string) {
  const environment = { HOME: home, CSP_CONNECT_URL: 'https://edge.example', CSP_CONNECT_SECRET: secret }
  return linkSettings(loadConfig({}, environment, home).config, { directory: home, environment })
}

test('the secret of the edge may stand in a file of the current folder', () => {
  writeFileSync(join(home, 'secret'), `${'s'.repeat(64)}\n`)
  expect(settingsWith('@secret').secret).toBe('s'.repeat(64))
  writeFileSync(join(home, 'secret'), 'short')
  expect(() => settingsWith('@secret')).toThrow('characters or more')
  expect(() => settingsWith('@nothing')).toThrow('Cannot read nothing')
})

test('the edge is told how many searches run here and how many may wait', () => {
  const environment = {
    CSP_CONNECT_URL: 'https://edge.example',
    CSP_CONNECT_SECRET: 's'.repeat(64),
    CSP_CONCURRENCY: '7',
  }
  const { config } = loadConfig({}, { HOME: home, ...environment }, home)
  expect(linkSettings(config, { directory: home, environment })).toMatchObject({ workers: 7, capacity: 7 + 10 + 100 })
})

/** The settings of a home with these variables. */
function settingsOf(variables: Readonly<Record<string, string>>) {
  const environment = { HOME: home, CSP_CONNECT_SECRET: 's'.repeat(64), ...variables }
  return linkSettings(loadConfig({}, environment, home).config, { directory: home, environment })
}

const edge = { CSP_CONNECT_URL: 'https://edge.example' }

test.each([
  [{}, 'The address of the edge is missing: csp connect https://YOUR-EDGE, or set --connect-url.'],
  [{ CSP_CONNECT_URL: 'http://edge.example' }, 'http://edge.example is not encrypted. Use https.'],
  [
    { ...edge, CSP_CONNECT_SECRET: '' },
    'The secret of the edge is missing: csp config set connect-secret, or set CSP_CONNECT_SECRET to it or to @FILE.',
  ],
])('a link with %j is not possible, and says why', (variables, message) => {
  expect(() => settingsOf(variables)).toThrow(message)
})

test('an address that cannot be one is refused', () => {
  const { config } = loadConfig({}, { HOME: home, ...edge, CSP_CONNECT_SECRET: 's'.repeat(64) }, home)
  const place = { directory: home, environment: {} }
  const wrong = () => linkSettings({ ...config, connectUrl: 'https://edge.example/path?x' }, place)
  expect(wrong).toThrow('https://edge.example/path?x is not an address such as https://YOUR-EDGE.')
})

test('a home has the name of its machine, and the edge an address without a slash at its end', () => {
  expect(settingsOf({ CSP_CONNECT_URL: 'http://127.0.0.1:8787/' })).toEqual({
    url: 'http://127.0.0.1:8787',
    secret: 's'.repeat(64),
    home: hostname()
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 64),
    headers: undefined,
    proxy: undefined,
    workers: expect.any(Number),
    capacity: expect.any(Number),
  })
  expect(settingsOf({ ...edge, CSP_CONNECT_NAME: 'attic', HTTPS_PROXY: 'http://proxy:1' })).toMatchObject({
    home: 'attic',
    proxy: 'http://proxy:1',
  })
})

test('a service token has two halves, each in a header of its own', () => {
  const headers = { 'cf-access-client-id': 'attic.access', 'cf-access-client-secret': 'secret' }
  expect(settingsOf({ ...edge, CSP_ACCESS_TOKEN: 'attic.access:secret' }).headers).toEqual(headers)
})

test('the secret is the one that csp setup edge has left, where none is named', () => {
  const folder = mkdtempSync(join(home, 'set-up-'))
  const environment = { HOME: folder, ...edge }
  const { config } = loadConfig({}, environment, folder)
  const settings = () => linkSettings(config, { directory: home, environment })
  expect(settings).toThrow('The secret of the edge is missing')
  mkdirSync(join(dirname(config.keyFile), 'edge'), { recursive: true })
  writeFileSync(join(dirname(config.keyFile), 'edge/connect-secret'), `${'x'.repeat(minSecretLength)}\n`)
  expect(settings().secret).toBe('x'.repeat(minSecretLength))
  writeFileSync(join(dirname(config.keyFile), 'edge/connect-secret'), 'x'.repeat(minSecretLength - 1))
  expect(settings).toThrow(`must have ${minSecretLength} characters or more.`)
})

const attic = settingsOf({ ...edge, CSP_CONNECT_NAME: 'attic' })
const refusal = { code: 'login', message: 'Invalid login.' }

test.each<[LinkState, string, boolean]>([
  [{ name: 'connecting' }, 'connecting to https://edge.example as attic', false],
  [{ name: 'connected' }, 'connected to https://edge.example as attic', false],
  [{ name: 'measured', roundTripMs: 12.3 }, 'round trip to https://edge.example: 12.3 ms', false],
  [
    { name: 'lost', reason: 'No network.', retryInMs: 1 },
    'No network. Trying again until it works, within 30 s each time.',
    true,
  ],
  [{ name: 'refused', refusal, retryInMs: 1 }, 'https://edge.example refuses this home: Invalid login.', true],
  [{ name: 'replaced' }, 'Another csp has connected as attic. Give each home its own --connect-name.', true],
  [{ name: 'stopped' }, 'disconnected from https://edge.example', false],
])('the state %j is told as %p, as a trouble: %p', (state, words, trouble) => {
  expect(describeState(state, attic)).toBe(words)
  expect(isTrouble(state)).toBe(trouble)
})

test('a refusal is told once, until the home is let in', () => {
  const told: string[] = []
  const report = onlyNews((state) => told.push(state.name))
  const refused = { name: 'refused', refusal, retryInMs: 1 } as const
  for (const state of [refused, refused, { name: 'connected' }, { name: 'connecting' }, refused] as const) report(state)
  expect(told).toEqual(['refused', 'connected', 'refused'])
})

test('a link serves searches, and tells the edge which backend is not ready', async () => {
  using there = fakeEdge()
  const backends = [
    { name: 'brave', ready: true },
    { name: 'claude', ready: false, problem: 'Signed out.' },
  ]
  const executor = scriptedExecutor(found(1), { ready: false, backends })
  const { config } = loadConfig({}, { HOME: home }, home)
  const lines: string[] = []
  const log = (level: string, message: string) => lines.push(`${level} ${message}`)
  const states: string[] = []
  const link = openLink({ ...attic, url: there.url }, config, executor, log, ({ name }) => states.push(name))
  try {
    await eventually(() => there.received.length === 2)
    expect(there.received.map((text) => (text === 'ping' ? text : JSON.parse(String(text))))).toContainEqual({
      type: 'state',
      ready: false,
      problem: 'Signed out.',
    })
    const body = JSON.stringify({ request: { query: 'q', history: [], want: 'results', effort: 'fast', filters: {} } })
    const request = { type: 'request', id: 1, method: 'POST', path: '/execute', headers: [], body, window: 1e6 }
    there.socket()?.send(JSON.stringify(request))
    await eventually(() => lines.length > 0)
    expect(lines).toEqual([expect.stringMatching(/^info POST \/execute 200 \d+ms by tunnel /)])
  } finally {
    await link.stop(AbortSignal.abort())
  }
  expect(states.slice(0, 2)).toEqual(['connecting', 'connected'])
})

const mayPipe = process.platform !== 'win32' && Bun.which('mkfifo') !== null
testNeeding('mkfifo', mayPipe)('a pipe in the place of the secret is refused, and not waited for', () => {
  Bun.spawnSync(['mkfifo', join(home, 'pipe')])
  expect(() => settingsWith('@pipe')).toThrow('Cannot read pipe')
})
