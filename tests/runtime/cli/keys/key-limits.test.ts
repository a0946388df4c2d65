import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { testShell } from '../../test-shell.ts'

const root = mkdtempSync(join(tmpdir(), 'csp-key-limits-'))
afterAll(() => rmSync(root, { recursive: true }))
let home = ''
beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'))
})

async function csp(...args: readonly string[]) {
  const shell = testShell({ directory: home, environment: { HOME: home } })
  const code = await main(['keys', ...args], shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

const limits = {
  '--per-minute': ['1', 'per_minute', 1, /1 searches a minute/],
  '--per-day': ['2', 'per_day', 2, /2 searches a day/],
  '--tokens-per-day': ['3', 'tokens_per_day', 3, /3 tokens a day/],
  '--plan-reserve': ['40%', 'plan_reserve', 40, /leaves 40% of the plan/],
} as const

test('each limit of a key is kept, listed, and no other with it', async () => {
  const none = { per_minute: null, per_day: null, tokens_per_day: null, plan_reserve: null }
  for (const [flag, [value, name, kept, words]] of Object.entries(limits)) {
    const id = name.replaceAll('_', '-')
    expect((await csp('add', id, flag, value)).code).toBe(0)
    const { keys } = JSON.parse((await csp('list', '--json')).printed)
    expect(keys.find((key: { name: string }) => key.name === id)).toMatchObject({ ...none, [name]: kept })
    const line = (await csp('list')).printed.split('\n').find((each) => each.includes(id)) ?? ''
    expect(line).toMatch(words)
    expect(line).not.toContain(',')
  }
  await csp('add', 'plain')
  expect((await csp('list')).printed).toMatch(/plain .*no limit/)
})

test.each([
  ['--per-minute', '0'],
  ['--per-day', '1.5'],
  ['--tokens-per-day', '-1'],
  ['--plan-reserve', '101%'],
  ['--plan-reserve', 'much'],
])('%s %s is refused by its name, and makes no key', async (flag, value) => {
  const { code, complaints } = await csp('add', 'phone', flag, value)
  expect([code, complaints]).toEqual([2, expect.stringContaining(flag)])
  expect(JSON.parse((await csp('list', '--json')).printed).keys).toEqual([])
})

test('a key that is not there is not revoked, and those that are there are named', async () => {
  expect((await csp('revoke', 'phone')).complaints).toContain('There are no keys.')
  await csp('add', 'desk')
  const { code, complaints } = await csp('revoke', 'other')
  expect([code, complaints]).toEqual([2, expect.stringContaining('The keys are: desk.')])
})
