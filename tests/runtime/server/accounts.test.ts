import { afterAll, expect, setSystemTime, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { createAccounts, openReceipts } from '../../../src/runtime/server/accounts.ts'
import { addKey } from '../../../src/runtime/server/key-file.ts'
import { failureOf } from '../../support/failure-of.ts'
import { scratchHome } from '../../support/real-claude.ts'

const home = await scratchHome()
afterAll(() => home[Symbol.asyncDispose]())

const budgetWith = (flags: Readonly<Record<string, string | boolean>>) =>
  createAccounts(loadConfig(flags, { HOME: home.path }, home.path).config, () => {}).budget

test('500 searches a day are allowed by default, and the refusal of the next says how to lift the limit', async () => {
  const budget = budgetWith({})
  for (let count = 0; count < 500; count++) await budget.reserve('phone', true)
  const { code, message } = await failureOf(budget.reserve('phone', true))
  expect(code).toBe('rate-limited')
  expect(message).toMatch(/daily limit of 500 searches is reached.*--daily-searches.*, 0 lifts it\.$/)
})

test.each([
  ['--daily-searches 0', { 'daily-searches': '0' }],
  ['the sandbox', { sandbox: true }],
] as const)('%s has no daily limit', async (_, flags) => {
  expect(await budgetWith(flags).limits()).toEqual([])
})

test('a limit that is set holds on the sandbox too', async () => {
  expect(await budgetWith({ sandbox: true, 'daily-searches': '3' }).limits()).toMatchObject([{ limit: 3 }])
})

test('a key may leave another part of the plan than the others, in percent in its file', async () => {
  const { config } = loadConfig({}, { HOME: home.path }, home.path)
  await addKey(config.keyFile, 'phone', { planReserve: 25 })
  await addKey(config.keyFile, 'desk')
  const { keyRing, reserveOf } = createAccounts(config, () => {})
  await keyRing.keys()
  expect([reserveOf('phone'), reserveOf('desk'), reserveOf('anonymous')]).toEqual([0.25, undefined, undefined])
})

test('a key file that breaks while csp runs is an error in the log', async () => {
  const { config } = loadConfig({}, { HOME: home.path }, home.path)
  const lines: string[] = []
  const { keyRing } = createAccounts(config, (level, message) => lines.push(`${level} ${message}`))
  const known = await keyRing.keys()
  writeFileSync(config.keyFile, '{')
  expect(await keyRing.keys(true)).toEqual(known)
  expect(lines).toEqual([expect.stringMatching(/^error The key file .* is damaged/)])
})

test('a receipt can be read for 90 days, and says so where its search was one of the sandbox', async () => {
  const draft = {
    owner: 'phone',
    question: 'q',
    model: 'm',
    strategy: 'standard',
    answer: 'a',
    sentences: [],
    sources: [],
  }
  const day = 86_400_000
  try {
    for (const sandbox of [undefined, true]) {
      setSystemTime()
      const receipts = openReceipts(join(home.path, `receipts-${sandbox}`), sandbox)
      const id = (await receipts.keep(async () => draft as never)) ?? ''
      await receipts.flush()
      const made = Date.now()
      setSystemTime(made + 89 * day)
      expect((await receipts.read(id))?.sandbox).toBe(sandbox)
      setSystemTime(made + 91 * day)
      expect(await receipts.read(id)).toBeUndefined()
    }
  } finally {
    setSystemTime()
  }
})
