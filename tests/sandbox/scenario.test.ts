import { expect, test } from 'bun:test'
import { scenarios } from '../../src/sandbox/scenario.ts'
import { createSandbox, ScenarioPicker } from '../support/recorded-sandbox.ts'
import { sampleRequests } from './sample-requests.ts'

test('one scenario applies to every call', () => {
  const picker = new ScenarioPicker('slow')
  expect([picker.next('search'), picker.next('write')]).toEqual(['slow', 'slow'])
})

test('the first rule that fits and is not used up applies, and after the last one all is well', () => {
  const picker = new ScenarioPicker([
    { scenario: 'error-429', kind: 'search', times: 1 },
    { scenario: 'error-500', times: 2 },
  ])
  const kinds = ['decide', 'search', 'search', 'search', 'write'] as const
  expect(kinds.map((kind) => picker.next(kind))).toEqual(['error-500', 'error-429', 'error-500', 'ok', 'ok'])
})

test('a base URL with a scenario plays it in each of its calls, and changes no other', async () => {
  const sandbox = createSandbox()
  const call = async (base: string) => {
    const request = { method: 'POST', body: JSON.stringify(sampleRequests.write('Seals?')) }
    return (await sandbox.fetch(new Request(`http://sandbox${base}/v1/messages?beta=true`, request))).status
  }
  const statuses = [await call('/scenario/error-529'), await call(''), await call('/scenario/error-401')]
  expect(statuses).toEqual([529, 200, 401])
  expect(await call('/scenario/none-such')).toBe(404)
  expect(sandbox.requests().map(({ scenario }) => scenario)).toEqual(['error-529', 'ok', 'error-401'])
})

test('each scenario stands in docs/sandbox.md', async () => {
  const text = await Bun.file(new URL('../../docs/sandbox.md', import.meta.url)).text()
  expect(scenarios.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})
