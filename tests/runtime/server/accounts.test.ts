import { afterAll, expect, test } from 'bun:test'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { createAccounts } from '../../../src/runtime/server/accounts.ts'
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
