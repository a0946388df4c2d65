import { afterAll, expect, test } from 'bun:test'
import type { MonitorDraft } from '../../src/domain/monitor.ts'
import { resultsRequest } from '../../src/domain/search.ts'
import { eventually } from '../support/processes.ts'
import { answered, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { testWatches } from '../support/test-watches.ts'
import { testApp } from './test-app.ts'

// One caller's monitors, which may not fill the disk nor keep others from theirs.

const executor = scriptedExecutor(answered)
const told: string[] = []
const watches = testWatches(executor, {
  // An address that never answers.
  post: async ({ url }, signal) => {
    if (url.includes('dead')) await untilAborted(signal)
    told.push(url)
    return 204
  },
})
const { post, request } = testApp(executor, { watches })
afterAll(() => watches.close())

const webhook = (name: string) => ({ url: `https://${name}.public.example/` })
const draft = (owner: string, name: string): MonitorDraft => ({
  ...{ owner, vendor: 'exa', everyMs: 0, status: 'active', schema: undefined, webhook: webhook(name) },
  ...{ request: resultsRequest({ query: 'bees' }), input: { search: { query: 'bees' }, webhook: webhook(name) } },
})

test('are twenty, also where more are made at once', async () => {
  const made = Array.from({ length: 40 }, () => watches.monitors.create(draft('many', 'hook')))
  const outcomes = await Promise.allSettled(made)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  for (const monitor of await watches.monitors.list('many')) await watches.monitors.remove(monitor)
})

test('stay small, however often they are changed', async () => {
  const search = { query: 'bees' }
  const { status, body } = await post('/exa/monitors', { search, webhook: webhook('hook') })
  expect(status).toBe(201)
  const change = async (name: string, length: number) => {
    const sent = JSON.stringify({ search: { [name]: 'x'.repeat(length) } })
    return (await request(`/exa/monitors/${body.id}`, { method: 'PATCH', body: sent })).status
  }
  expect(await change('one', 40_000)).toBe(200)
  expect(await change('two', 40_000)).toBe(413)
  expect(await change('one', 80_000)).toBe(413)
  expect((await post('/exa/monitors', { search, webhook: webhook('hook'), more: 'x'.repeat(80_000) })).status).toBe(413)
})

test('whose address is dead do not keep those of another key from theirs', async () => {
  const dead = await watches.monitors.create(draft('loud', 'dead'))
  for (let at = 0; at < 250; at++) await watches.monitors.update(dead, draft('loud', 'dead'))
  await watches.monitors.create(draft('quiet', 'alive'))
  await eventually(() => told.includes(webhook('alive').url))
})
