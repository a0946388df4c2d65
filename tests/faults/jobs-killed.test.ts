import { afterAll, beforeEach, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { tavily } from '@tavily/core'
import OpenAI from 'openai'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'

// csp ended while it answers in the background.

const standIn = startSandbox()
const { sandbox } = standIn
beforeEach(() => {
  sandbox.reset()
  sandbox.configure({ scenario: 'ok', thinkMs: 0 })
})
afterAll(() => standIn.stop())

const flags = ['--rate', '0', '--search-model', 'sonnet', '--answers', 'pages']
const responsesOf = ({ url }: CspProcess) =>
  new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 }).responses

test.each(['SIGKILL', 'SIGTERM'] as const)('after %s a job goes on when csp starts again', async (signal) => {
  const csp = await startCsp({ standInUrl: standIn.url, flags })
  sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'write' }] })
  const { id } = await responsesOf(csp).create({
    model: 'sonar-pro',
    input: 'Why do grey whales sing?',
    background: true,
  })
  await sandbox.until(({ callsByKind }) => callsByKind.write === 1)
  expect(await responsesOf(csp).retrieve(id)).toMatchObject({ status: 'in_progress' })
  await csp.kill(signal)
  await sandbox.until(({ open }) => open === 0)

  sandbox.configure({ scenario: 'ok' })
  const next = await startCsp({ standInUrl: standIn.url, flags, home: csp.home })
  let response = await responsesOf(next).retrieve(id)
  await eventually(async () => {
    response = await responsesOf(next).retrieve(id)
    return response.status === 'completed'
  })
  expect(response.output_text).toContain('grey whales')
  // What was found before is written over.
  expect(sandbox.stats().callsByKind).toMatchObject({ search: 1, write: 2 })
  expect(response.output.filter(({ type }) => type === 'web_search_call')).toHaveLength(1)
  const sequence: number[] = []
  for await (const event of await responsesOf(next).retrieve(id, { stream: true })) sequence.push(event.sequence_number)
  expect(sequence).toEqual(sequence.map((_, at) => at))
  await next.stop()
})

test('a job that is cancelled stops the call of the model', async () => {
  const csp = await startCsp({ standInUrl: standIn.url, flags })
  sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'write' }] })
  const { id } = await responsesOf(csp).create({ model: 'sonar-pro', input: 'Why do seals bark?', background: true })
  await sandbox.until(({ callsByKind }) => callsByKind.write === 1)
  expect(await responsesOf(csp).cancel(id)).toMatchObject({ status: 'cancelled' })
  await sandbox.until(({ open }) => open === 0)
  await csp.stop()
})

test('after SIGKILL a research goes on from its last step, and pays for no search twice', async () => {
  const researchOf = ({ url }: CspProcess) => tavily({ apiKey: 'none', apiBaseURL: `${url}/tavily` })
  const csp = await startCsp({ standInUrl: standIn.url, flags })
  // The plan is written, the report is not.
  sandbox.configure({
    scenario: [
      { scenario: 'ok', kind: 'write', times: 1 },
      { scenario: 'hang', kind: 'write' },
    ],
  })
  const created = await researchOf(csp).research('Why do grey whales sing?', { model: 'mini' })
  if (!('requestId' in created)) throw new Error('a stream')
  await sandbox.until(({ callsByKind }) => callsByKind.write === 2)
  const { search } = sandbox.stats().callsByKind
  expect(search).toBeGreaterThan(0)
  await csp.kill('SIGKILL')
  await sandbox.until(({ open }) => open === 0)

  sandbox.configure({ scenario: 'ok' })
  const next = await startCsp({ standInUrl: standIn.url, flags, home: csp.home })
  let reply = await researchOf(next).getResearch(created.requestId)
  await eventually(async () => {
    reply = await researchOf(next).getResearch(created.requestId)
    return reply.status === 'completed'
  })
  expect(reply).toMatchObject({ content: expect.stringContaining('[1]') })
  expect(sandbox.stats().callsByKind).toMatchObject({ search, write: 3 })
  await next.stop()
})
