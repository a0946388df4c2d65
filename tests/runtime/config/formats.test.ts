import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf } from '../../../src/runtime/background/process-identity.ts'
import { runningServers } from '../../../src/runtime/background/running-servers.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { version } from '../../../src/runtime/version.ts'
import { testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-formats-'))
afterAll(() => rmSync(home, { recursive: true }))

async function csp(...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: home, PATH: '' }, directory: home })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

function write(name: string, value: unknown): string {
  const path = join(home, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(value), { mode: 0o600 })
  return path
}

test('a key file of a newer csp is left alone, with the csp that wrote it and what to do', async () => {
  const path = write('.config/csp/keys.json', { version: 2, 'written-by': '7.8.9', keys: [{ new: true }] })
  const expected = `The key file ${path} has format 2, which csp 7.8.9 wrote; csp ${version} reads format 1. Upgrade csp: git pull && npm install --omit=dev. Until then csp accepts none of its keys.\n`
  expect(await csp('keys', 'list')).toEqual({ code: 2, printed: '', complaints: expected })
  expect(await csp('keys', 'add', 'phone')).toMatchObject({ code: 2, complaints: expected })
  expect(await Bun.file(path).json()).toMatchObject({ version: 2 })
  rmSync(path)
})

test('a state folder of a newer csp is left alone, and the doctor says so', async () => {
  const path = write('.local/state/csp/format.json', { version: 2 })
  const { code, complaints } = await csp('status', '--days', '7')
  expect(code).toBe(2)
  expect(complaints).toContain('has format 2, which a newer csp wrote')
  expect((await csp('search', 'x')).code).toBe(2)
  expect((await csp('doctor', '--port', '0', '--fix', '--yes')).printed).toContain(
    'fail  state         The state folder',
  )
  write('.local/state/csp/format.json', { version: 1, 'written-by': '0.1.0' })
  expect((await csp('status', '--days', '7')).code).toBe(0)
  rmSync(path)
})

test('what a newer csp that runs has written down of itself stays, until that csp has ended', async () => {
  const state = join(home, '.local/state/csp')
  const own = write('.local/state/csp/run/1.json', { pid: process.pid, identity: identityOf(process.pid) })
  const gone = write('.local/state/csp/run/2.json', { pid: 999_999_999, identity: 'of another boot' })
  expect(await runningServers(state)).toEqual([])
  expect([own, gone].map((path) => existsSync(path))).toEqual([true, false])
})
