import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { startClaude, strategies } from '../../../support/claude-executor.ts'

const logged: string[] = []
const claude = await startClaude({ log: (_, message) => logged.push(message) })
const { sandbox } = claude
afterAll(() => claude[Symbol.asyncDispose]())

const warnings = () => logged.filter((message) => message.includes('usage limit'))

beforeEach(async () => {
  sandbox.reset()
  // A limit is news after a search that was far from it.
  await claude.search('a question before', strategies.standard)
  expect(warnings()).toEqual([])
})
afterEach(() => logged.splice(0))

test('a usage limit that comes near is logged once and shown in the health', async () => {
  sandbox.configure({ utilization: 0.91 })
  await claude.search('a first question', strategies.standard)
  await claude.search('a second question', strategies.standard)
  expect(warnings()).toEqual([expect.stringMatching(/five_hour allowed_warning, 91 % used, until 20/)])
  const [backend] = (await claude.executor.health()).backends
  expect(backend?.rateLimit).toMatchObject({ status: 'allowed_warning', window: 'five_hour', utilization: 0.91 })
})

test('both windows of the usage limit are shown in the health and in the warning', async () => {
  sandbox.configure({ utilization: 0.91, weekUtilization: 0.4 })
  await claude.search('a question', strategies.standard)
  const [backend] = (await claude.executor.health()).backends
  expect(backend?.rateLimit?.windows).toMatchObject([
    { window: 'five_hour', utilization: 0.91, resetsAt: expect.stringMatching(/^20/) },
    { window: 'seven_day', utilization: 0.4, resetsAt: expect.stringMatching(/^20/) },
  ])
  const [warning] = warnings()
  expect(warning).toMatch(/five_hour allowed_warning, 91 % used, until 20[^;]*; seven_day.*, 40 % used, until 20/)
})
