import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { digestOf } from '../../src/api/http/auth.ts'
import { AnswerCache } from '../../src/executor/layers/cache/answer-cache.ts'
import { storageKey } from '../../src/executor/layers/cache/request-key.ts'
import { dayOf } from '../../src/executor/layers/metering/ledger.ts'
import { identityOf } from '../../src/runtime/background/process-identity.ts'
import { runningServers } from '../../src/runtime/background/running-servers.ts'
import { main } from '../../src/runtime/cli/main.ts'
import { files } from '../../src/storage/files.ts'
import { openStore } from '../../src/storage/store.ts'
import { testShell } from './test-shell.ts'

// The files are those that the first csp with keys and a ledger wrote, with another key; and the record of the first csp
// that ran in the background. Times and process ids are moved to this run.

const today = dayOf(Date.now())
let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-upgrade-'))
  install('config.json', '.config/csp/config.json')
  install('keys.json', '.config/csp/keys.json')
  install('usage-day.ndjson', `.local/state/csp/usage/${today}.ndjson`)
})
afterAll(() => rmSync(home, { recursive: true }))

function install(name: string, to: string, change: (text: string) => string = (text) => text): string {
  const path = join(home, to)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, change(readFileSync(join(import.meta.dir, '../fixtures/first-state', name), 'utf8')))
  return path
}

async function csp(...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: home, PATH: '' }, directory: home })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

describe('what the first csp wrote is read by this one', () => {
  test('the configuration, without a warning', async () => {
    const { code, printed, complaints } = await csp('config')
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    for (const [name, value] of [
      ['port', '52990'],
      ['model', 'haiku'],
      ['daily-searches', '100'],
      ['models', '{"mine":{"effort":"deep","model":"opus"}}'],
    ]) {
      expect(printed).toMatch(
        new RegExp(`^ *${name} +${value?.replace(/[{}]/g, '\\$&')} +.*config\\.json line \\d$`, 'm'),
      )
    }
  })

  test('the keys, and they stay when one is added', async () => {
    expect((await csp('keys', 'list')).printed).toMatch(/^phone +2026-11-22 /)
    expect((await csp('keys', 'add', 'desk')).code).toBe(0)
    const { keys } = JSON.parse(readFileSync(join(home, '.config/csp/keys.json'), 'utf8'))
    expect(keys).toMatchObject([
      {
        name: 'phone',
        sha256: await digestOf('csp_first-key-of-the-upgrade-test'),
        created: '2026-11-22T08:14:29.767Z',
      },
      { name: 'desk' },
    ])
  })

  test('the ledger', async () => {
    const { days } = JSON.parse((await csp('status', '--json', '--days', '1')).printed)
    expect(days).toMatchObject([{ day: today, requests: 2, searches: 4, by_backend: { searxng: { searches: 4 } } }])
  })

  test('an answer of the cache; one of a later format is left alone and asked for again', async () => {
    const directory = join(home, '.cache/csp')
    const cache = () => new AnswerCache({ storage: openStore(files({ directory })), ttlSeconds: 60 })
    const digits = (await storageKey('seals')).slice('v1:'.length)
    const path = `.cache/csp/v1/${digits.slice(0, 2)}/${digits}.json`
    const now = (text: string) => {
      const entry = JSON.parse(text)
      return JSON.stringify({ ...entry, expiresAt: Date.now() + 60_000, body: { ...entry.body, mtime: Date.now() } })
    }
    install('cache-entry.json', path, now)
    const found = await cache().find('seals')
    expect(found).toMatchObject({ freshness: 'fresh', answer: { backend: 'searxng' } })
    expect(found?.answer.searches[0]?.results[0]?.url).toBe('https://a.example/seals')
    install('cache-entry.json', path, (text) => now(text).replace('"version":1', '"version":2'))
    expect(await cache().find('seals')).toBeUndefined()
    expect(existsSync(join(home, path))).toBe(true)
  })

  test('the record of a csp that runs, until that csp has ended', async () => {
    const state = join(home, '.local/state/csp')
    const own = { pid: process.pid, identity: identityOf(process.pid) }
    const path = install('run-52990.json', '.local/state/csp/run/52990.json', (text) =>
      JSON.stringify({ ...JSON.parse(text), ...own }),
    )
    expect(await runningServers(state)).toMatchObject([{ port: 52990, flags: ['--port', '52990'], ...own }])
    install('run-52990.json', '.local/state/csp/run/52990.json')
    expect(await runningServers(state)).toEqual([])
    expect(existsSync(path)).toBe(false)
  })
})
