import { expect, test } from 'bun:test'
import { startClaude, strategies } from '../../../support/claude-executor.ts'

test('a usage limit that comes near is logged once and shown in the health', async () => {
  const logged: string[] = []
  await using claude = await startClaude({
    sandbox: { utilization: 0.91 },
    log: (_, message) => logged.push(message),
  })
  await claude.search('a first question', strategies.standard)
  await claude.search('a second question', strategies.standard)
  const warnings = logged.filter((message) => message.includes('usage limit'))
  expect(warnings).toEqual([expect.stringMatching(/five_hour allowed_warning, 91 % used, until 20/)])
  const [backend] = (await claude.executor.health()).backends
  expect(backend?.rateLimit).toMatchObject({ status: 'allowed_warning', window: 'five_hour', utilization: 0.91 })
}, 30_000)

test('both windows of the usage limit are shown in the health and in the warning', async () => {
  const logged: string[] = []
  await using claude = await startClaude({
    sandbox: { utilization: 0.91, weekUtilization: 0.4 },
    log: (_, message) => logged.push(message),
  })
  await claude.search('a question', strategies.standard)
  const [backend] = (await claude.executor.health()).backends
  expect(backend?.rateLimit?.windows).toMatchObject([
    { window: 'five_hour', utilization: 0.91, resetsAt: expect.stringMatching(/^20/) },
    { window: 'seven_day', utilization: 0.4, resetsAt: expect.stringMatching(/^20/) },
  ])
  const warning = logged.find((message) => message.includes('usage limit'))
  expect(warning).toMatch(/five_hour allowed_warning, 91 % used, until 20[^;]*; seven_day.*, 40 % used, until 20/)
}, 30_000)
