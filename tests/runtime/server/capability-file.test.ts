import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { LearnedCapabilities } from '@csp/gateway/translation/capabilities'
import { foldMessage } from '@csp/messages-api/fold'
import {
  openAiError,
  type StrictProvider,
  serveProvider,
} from '../../../packages/gateway/test/support/strict-provider.ts'
import { capabilityFile } from '../../../src/runtime/server/capability-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-capabilities-'))
let folders = 0
const folder = () => join(scratch, String(++folders))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Refuses `temperature`, as models do that reason. */
const refuse = (body: Record<string, unknown>) =>
  'temperature' in body
    ? openAiError(400, "Unsupported parameter: 'temperature' is not supported with this model.", {
        param: 'temperature',
      })
    : undefined

/** One request of a csp that has just started. */
function ask(server: StrictProvider, stateDir: string, now?: () => number) {
  const capabilities = new LearnedCapabilities({ store: capabilityFile(stateDir, now) })
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url, capabilities })
  const messages = [{ role: 'user' as const, content: 'hi' }]
  const request = { model: 'm', max_tokens: 10, temperature: 0, messages }
  return foldMessage(upstream.send(request, { signal: new AbortController().signal }))
}

describe('What was learned about a model', () => {
  test('is known after a restart, until it is forgotten or a week is over', async () => {
    await using server = serveProvider({ refuse })
    const state = folder()
    await ask(server, state)
    expect(server.bodies).toHaveLength(2)
    await ask(server, state)
    expect(server.bodies).toHaveLength(3)
    expect(await capabilityFile(state).forget()).toBe(1)
    await ask(server, state)
    expect(server.bodies).toHaveLength(5)
    await ask(server, state, () => Date.now() + 8 * 24 * 3600 * 1000)
    expect(server.bodies).toHaveLength(7)
  })

  test('stands in a file that only its owner can read, without anything of a conversation or a key', async () => {
    await using server = serveProvider({ refuse })
    const state = folder()
    await ask(server, state)
    const { path } = capabilityFile(state)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    const { models } = JSON.parse(readFileSync(path, 'utf8'))
    expect(Object.values(models)).toEqual([
      { expiresAt: expect.any(Number), value: { baseUrl: server.url, model: 'm', refused: ['temperature'] } },
    ])
  })

  test('is learned again where the file is torn, of another version, or cannot be written', async () => {
    await using server = serveProvider({ refuse })
    for (const text of ['{"version":1,"mod', '{"version":7,"models":{}}', '[]']) {
      const state = folder()
      const { path } = capabilityFile(state)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      expect(await capabilityFile(state).list()).toEqual([])
      await ask(server, state)
      expect(await capabilityFile(state).list()).toHaveLength(1)
    }
    const blocked = folder()
    writeFileSync(blocked, 'a file where the folder would be')
    expect(await ask(server, blocked)).toMatchObject({ stop_reason: 'end_turn' })
  })

  test('is kept for many models that are learned at once, and all can be forgotten', async () => {
    const file = capabilityFile(folder())
    const learned = new LearnedCapabilities({ store: file })
    const models = Array.from({ length: 30 }, (_, index) => `m${index}`)
    await Promise.all(models.map((model) => learned.learn({ baseUrl: 'http://a.example', model, refused: [] })))
    expect(await file.list()).toHaveLength(30)
    expect(await file.forget()).toBe(30)
    expect(await file.list()).toEqual([])
    expect(await capabilityFile(folder()).forget()).toBe(0)
  })

  test('ends with its time to the millisecond, and of a thousand models the oldest goes first', async () => {
    let ms = 1_000_000
    const file = capabilityFile(folder(), () => ms)
    const value = (model: string) => ({ baseUrl: 'http://a.example', model, refused: [] })
    await file.set('short', value('short'), { ttl: 2 })
    expect(await file.list()).toEqual([{ ...value('short'), expiresAt: 1_002_000 }] as never)
    ms = 1_001_999
    expect(await file.get('short')).toEqual(value('short'))
    ms = 1_002_000
    expect(await file.get('short')).toBeUndefined()
    const { path } = file
    const models = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`k${at}`, { expiresAt: 2_000_000 + at, value: value(`m${at}`) }]),
    )
    writeFileSync(path, JSON.stringify({ version: 1, models }))
    await file.set('latest', value('latest'), { ttl: 5000 })
    const known = Object.keys(JSON.parse(readFileSync(path, 'utf8')).models)
    expect([known.length, known[0], known.at(-1)]).toEqual([1000, 'latest', 'k1'])
  })

  test('is listed by its provider and name, and forgotten whole', async () => {
    const file = capabilityFile(folder())
    const learned = new LearnedCapabilities({ store: file })
    for (const [baseUrl, model] of [
      ['http://b.example', 'a'],
      ['http://a.example', 'c'],
      ['http://a.example', 'a'],
    ] as const)
      await learned.learn({ baseUrl, model, refused: [] })
    const names = async () => (await file.list()).map(({ baseUrl, model }) => `${baseUrl} ${model}`)
    const all = await names()
    expect(all).toEqual(all.toSorted())
    expect(await file.forget()).toBe(3)
    expect(await names()).toEqual([])
    expect(await file.forget()).toBe(0)
  })
})
