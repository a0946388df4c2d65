import { afterAll, describe, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { BraveSearch } from 'brave-search'
import OpenAI from 'openai'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { startCsp } from '../support/csp-process.ts'
import { processesNaming } from '../support/processes.ts'
import { scratchHome } from '../support/real-claude.ts'
import { entry } from '../support/tested-program.ts'

// Named keys and their limits, against csp as `npm start` runs it. Answers are not kept, so that each
// request is a search.

const home = await scratchHome()
const standIn = startSandbox()
const folders = { XDG_CONFIG_HOME: join(home.path, 'config'), XDG_STATE_HOME: join(home.path, 'state') }

/** A csp of its own process that ends by itself. */
async function csp(...args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, entry, ...args], {
    env: { HOME: home.path, PATH: process.env['PATH'] ?? '', ...folders },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [printed, complaints] = await Promise.all([child.stdout, child.stderr].map((it) => new Response(it).text()))
  if ((await child.exited) !== 0) throw new Error(complaints)
  return (printed ?? '').trim()
}

const phone = await csp('keys', 'add', 'phone', '--per-minute', '2')
const desk = await csp('keys', 'add', 'desk')
const server = await startCsp({
  standInUrl: standIn.url,
  flags: ['--rate', '0', '--cache-ttl', '0'],
  environment: folders,
})
afterAll(async () => {
  await server.stop()
  await standIn.stop()
  await home[Symbol.asyncDispose]()
})

const search = (key: string | undefined, query = 'bees') =>
  fetch(`${server.url}/v1/search?q=${query}`, { headers: key ? { authorization: `Bearer ${key}` } : {} })

/** Asks until the server answers so: it notices a change of the keys within a second. */
async function until(status: number, ask: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const reply = await ask()
    if (reply.status === status) return reply
    await Bun.sleep(20)
  }
  throw new Error(`The server did not come to answer ${status}.`)
}

describe('a key with a limit of two a minute', () => {
  test('gets two searches, and for the third a 429 that says when to come back', async () => {
    expect((await search(phone)).status).toBe(200)
    expect((await search(phone)).status).toBe(200)
    const calls = standIn.sandbox.stats().calls
    const reply = await search(phone)
    expect(reply.status).toBe(429)
    const seconds = Number(reply.headers.get('retry-after'))
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(60)
    const { error } = await reply.json()
    expect(error.code).toBe('rate_limited')
    expect(error.message).toContain('The limit of 2 searches a minute of the key "phone" is reached.')
    expect(standIn.sandbox.stats().calls).toBe(calls)
  })

  test('is refused by OpenAI’s, Anthropic’s and Brave’s clients in their own words', async () => {
    const openai = new OpenAI({ apiKey: phone, baseURL: `${server.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user', content: 'Why do bees hum?' }] as const
    const byOpenai = await openai.chat.completions.create({ model: 'sonar', messages: [...messages] }).catch((it) => it)
    expect(byOpenai).toBeInstanceOf(OpenAI.RateLimitError)
    expect(byOpenai.status).toBe(429)
    expect(Number(byOpenai.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(byOpenai.message).toContain('2 searches a minute')

    const anthropic = new Anthropic({ apiKey: phone, baseURL: server.url, maxRetries: 0 })
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }] as const
    const byAnthropic = await anthropic.messages
      .create({ model: 'sonnet', max_tokens: 100, messages: [...messages], tools: [...tools] })
      .catch((it) => it)
    expect(byAnthropic).toBeInstanceOf(Anthropic.RateLimitError)

    const brave: BraveSearch = Object.assign(new BraveSearch(phone), { baseUrl: `${server.url}/res/v1` })
    expect(String(await brave.webSearch('bees').catch((it) => it))).toContain('429')
  })

  test('does not hurt another key', async () => {
    for (let count = 0; count < 3; count++) expect((await search(desk)).status).toBe(200)
  })
})

test('each key sees only its own usage', async () => {
  const usage = async (key: string) =>
    (await fetch(`${server.url}/v1/usage?days=1`, { headers: { 'x-api-key': key } })).json()
  const ofPhone = await usage(phone)
  expect(ofPhone).toMatchObject({
    key: 'phone',
    limits: [{ key: 'phone', window: 'minute', limit: 2, used: 2, left: 0 }],
  })
  expect(ofPhone.days[0]).toMatchObject({ requests: 2, searches: 2, by_backend: { claude: { searches: 2 } } })
  expect(JSON.stringify(ofPhone)).not.toContain('desk')
  expect((await usage(desk)).days[0]).toMatchObject({ searches: 3 })
})

test('csp status --days prints the usage of all keys, from the files alone', async () => {
  const { days } = JSON.parse(await csp('status', '--days', '1', '--json'))
  expect(days[0].by_key).toMatchObject({ phone: { searches: 2 }, desk: { searches: 3 } })
})

test('a request without a valid key is rejected', async () => {
  expect((await search(undefined)).status).toBe(401)
  expect((await search('csp_wrong')).status).toBe(401)
})

test('the running server accepts a key that is added, and rejects one that is revoked', async () => {
  const tablet = await csp('keys', 'add', 'tablet')
  const models = () => fetch(`${server.url}/v1/models`, { headers: { 'x-api-key': tablet } })
  expect((await models()).status).toBe(200)
  await csp('keys', 'revoke', 'tablet')
  await until(401, models)
  expect((await search(desk)).status).toBe(200)
})

test('no file and no process list contains a key, and no ledger a query', async () => {
  const found: string[] = []
  for (const folder of [...Object.values(folders), server.home]) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) found.push(await readFile(join(entry.parentPath, entry.name), 'utf8'))
    }
  }
  expect(found.some((text) => text.includes('phone'))).toBe(true)
  const list = processesNaming(server.home)
    .map(({ command }) => command)
    .join('\n')
  expect(list).toContain(`${entry} serve`)
  for (const key of [phone, desk]) {
    for (const text of [...found, list]) expect(text.includes(key.slice(4))).toBe(false)
  }
  const ledger = join(folders.XDG_STATE_HOME, 'csp', 'usage')
  for (const name of await readdir(ledger)) expect(await readFile(join(ledger, name), 'utf8')).not.toContain('bees')
})

test('a second csp on the same folders continues the count of the first', async () => {
  await using other = await startCsp({
    standInUrl: standIn.url,
    flags: ['--rate', '0', '--cache-ttl', '0', '--daily-searches', '6'],
    environment: folders,
  }).then((started) => ({ ...started, [Symbol.asyncDispose]: () => started.stop() }))
  const reply = await fetch(`${other.url}/v1/search?q=bees`, { headers: { 'x-api-key': desk } })
  expect(reply.status).toBe(429)
  expect((await reply.json()).error.message).toContain("This server's daily limit of 6 searches is reached")
})

test('a state folder that cannot be written fails no search, and /health reports it', async () => {
  await using other = await startCsp({
    standInUrl: standIn.url,
    flags: ['--rate', '0', '--cache-ttl', '0', '--daily-searches', '2', '--state-dir', '/dev/null/state'],
    environment: folders,
  }).then((started) => ({ ...started, [Symbol.asyncDispose]: () => started.stop() }))
  const get = (path: string) => fetch(other.url + path, { headers: { 'x-api-key': desk } })
  expect((await get('/v1/search?q=bees')).status).toBe(200)
  expect((await (await get('/health')).json()).budget.problem).toContain('ENOTDIR')
  // What cannot be written counts as well.
  expect((await get('/v1/search?q=bees')).status).toBe(200)
  expect((await get('/v1/search?q=bees')).status).toBe(429)
})
