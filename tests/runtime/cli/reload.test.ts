// Starts processes.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../src/runtime/cli/main.ts'
import { serveApi } from '../../executor/backends/http/api-server.ts'
import { testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-reload-'))
const searxng = serveApi(() =>
  Response.json({ query: 'q', results: [{ url: 'https://a.example/', title: 'A' }], unresponsive_engines: [] }),
)
afterAll(async () => {
  await searxng[Symbol.asyncDispose]()
  rmSync(home, { recursive: true })
})

test('a csp that serves takes new keys, limits and log levels on SIGHUP, and keeps the old ones of a broken file', async () => {
  const file = join(home, 'config.json')
  const write = (settings: object) => {
    const usual = { port: 0, backends: 'searxng', 'searxng-url': searxng.url, 'cache-ttl': 0 }
    writeFileSync(file, JSON.stringify({ ...usual, ...settings }))
  }
  write({})
  const shell = testShell({ environment: { HOME: home, PATH: '' }, directory: home })
  const ended = main(['serve', '--config', file], shell)
  await shell.says('listening on')
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(shell.complaints()) ?? []
  const records = join(home, '.local/state/csp/run')
  const digest = () => {
    const [name = '', ...others] = readdirSync(records)
    expect(others).toEqual([])
    return JSON.parse(readFileSync(join(records, name), 'utf8')).settings
  }
  const search = async (key = '') =>
    (await fetch(`${url}/v1/search?q=seals`, { headers: key ? { authorization: `Bearer ${key}` } : {} })).status
  expect(await search()).toBe(200)
  const before = digest()

  write({ 'api-keys': ['a-key-of-sixteen-letters'], 'daily-searches': 2, 'log-level': 'warning', model: 'opus' })
  shell.reload()
  await shell.says('csp restart applies model')
  expect(shell.complaints()).toContain('changed: api-keys, daily-searches, log-level\n')
  expect(await search()).toBe(401)
  expect(await search('a-key-of-sixteen-letters')).toBe(200)
  expect(await search('a-key-of-sixteen-letters')).toBe(429)
  expect(shell.complaints().match(/GET \/v1\/search/g)).toHaveLength(1)
  expect(digest()).not.toBe(before)

  writeFileSync(file, '{"port": 0,, }')
  shell.reload()
  await shell.says('The settings stay as they were. The configuration file')
  expect(await search('a-key-of-sixteen-letters')).toBe(429)

  write({ 'log-level': 'info', host: '0.0.0.0', 'daily-searches': 0 })
  shell.reload()
  await shell.says('csp restart applies host')
  expect(shell.complaints()).toContain('settings were read again; changed: api-keys, daily-searches, log-level')
  expect(await search()).toBe(200)
  shell.send('SIGTERM')
  expect(await ended).toBe(0)
})
