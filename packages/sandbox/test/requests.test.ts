import { expect, test } from 'bun:test'
import { sampleRequests } from './sample-requests.ts'
import { createSandbox, type Sandbox } from './support/recorded-sandbox.ts'

test('the sandbox records a call with its kind, scenario, size and time, but without the token', async () => {
  const now = new Date('2026-03-15T12:00:00Z')
  const sandbox = createSandbox({ scenario: 'refusal', now: () => now })
  await send(sandbox, 'search', 'grün')
  const [request] = sandbox.requests()
  expect(request).toMatchObject({ kind: 'search', scenario: 'refusal', arrivedAt: now })
  expect(request?.headers).toEqual({ auth: 'bearer', values: { 'user-agent': 'test' } })
  expect(request?.bytes).toBe(Buffer.byteLength(JSON.stringify(sampleRequests.search('grün'))))
  expect(JSON.stringify(sandbox.requests())).not.toContain('sk-ant')
})

test('the sandbox keeps the last thousand calls and counts all', async () => {
  const sandbox = createSandbox()
  for (let index = 0; index < 1001; index += 1) await send(sandbox, index === 0 ? 'search' : 'write', `${index}`)
  expect(sandbox.requests()).toHaveLength(1000)
  expect(sandbox.requests()[0]?.kind).toBe('write')
  expect(sandbox.stats()).toMatchObject({ calls: 1001, callsByKind: { search: 1, decide: 0, write: 1000 }, open: 0 })
})

test('configure changes the named settings of the sandbox, and reset restores the defaults', async () => {
  const sandbox = createSandbox({ scenario: [{ scenario: 'error-529', times: 1 }], resultCount: 3 })
  expect(await send(sandbox, 'write', 'a')).toBe(529)
  expect(await send(sandbox, 'write', 'a')).toBe(200)
  sandbox.configure({ resultCount: 5 })
  expect(await send(sandbox, 'write', 'a')).toBe(200)
  sandbox.configure({ scenario: 'error-403' })
  expect(await send(sandbox, 'write', 'a')).toBe(403)
  sandbox.reset()
  expect(sandbox.stats().calls).toBe(0)
  expect(await send(sandbox, 'write', 'a')).toBe(529)
})

async function send(sandbox: Sandbox, kind: 'search' | 'decide' | 'write', text: string): Promise<number> {
  const request = new Request('http://sandbox/v1/messages', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ant-oat01-secret', 'user-agent': 'test' },
    body: JSON.stringify(sampleRequests[kind](text)),
  })
  const response = await sandbox.fetch(request)
  await response.text()
  return response.status
}
