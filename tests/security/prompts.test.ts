import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedRequest } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { concretePath } from '../support/concrete-path.ts'
import { cspOnSandbox } from '../support/csp-on-sandbox.ts'
import { hostileTexts } from '../support/hostile-texts.ts'
import { descendantsOf } from '../support/processes.ts'
import { searchRoutes } from '../support/routes.ts'
import { distinctRoutes, type PromptRequest, ruleFor } from './prompt-routes.ts'

// Every route that carries a caller's text, over HTTP: whatever the text says, it is searched for, and no prompt has what
// the CLI would obey. That the CLI obeys nothing else is shown by tests/executor/backends/claude/strategies/injection.ts.

const secret = 'the-secret-of-this-file-5d41402a'
// A worker costs half a second of a core: one of a kind is enough, and none is replaced.
const fewWorkers = ['--max-session-searches', '1000', '--concurrency', '1']
const { csp, standIn } = await cspOnSandbox([...fewWorkers, '--cache-ttl', '0', '--memory=on'])
mkdirSync(join(csp.home, 'work'))
hideSecretIn(csp.home)
// The folder that the CLI takes for its project, so that a path from there would be found.
for (const folder of readdirSync(csp.home, { recursive: true, encoding: 'utf8' })) {
  if (folder.endsWith('/work')) hideSecretIn(join(csp.home, folder))
}
const texts = Object.entries(hostileTexts(csp.home))
const word = 'unmistakable-word-of-a-caller'

const methods = ['GET', 'POST'] as const
const distinct = distinctRoutes()
const routes = searchRoutes.flatMap(({ path, methods: known }) =>
  Object.keys(known).map((method) => [method, path, ruleFor(method, path)] as const),
)

test('every route has a rule for its prompts', () => {
  expect(routes.filter(([, , rule]) => !rule).map(([method, path]) => `${method} ${path}`)).toEqual([])
  expect(routes.length).toBeGreaterThan(60)
  expect(methods.every((method) => routes.some(([known]) => known === method))).toBe(true)
})

// One of the paths of a handler is enough for all texts and requests; the others get the first.
test.each(routes)('%s %s makes an ordinary search, whatever its texts contain', async (method, path, rule) => {
  const { asks = [], room = 0 } = rule ?? {}
  const count = isDistinct(method, path) ? undefined : 1
  const requests = grouped(room)
    .slice(0, count)
    .flatMap((text) => asks.slice(0, count).map((ask) => ask(text)))
  const before = standIn.sandbox.stats().calls
  const replies = await Promise.all(requests.map((request) => send(method, path, request)))
  for (const [status, reply] of replies) expect([status, reply]).toEqual([200, expect.not.stringContaining(secret)])
  const calls = standIn.sandbox.stats().calls - before
  if (!isAnsweredWithoutModel(path)) expect(calls).toBeGreaterThanOrEqual(requests.length)
  const sent = standIn.sandbox.requests().slice(calls > 0 ? -calls : Infinity)
  expect(sent.filter(({ body }) => JSON.stringify(body).includes(secret))).toEqual([])
  expect(sent.flatMap(({ body }) => promptsIn(body)).filter(wouldBeObeyed)).toEqual([])
  const offered = sent.flatMap(({ body }) => body.tools?.map(({ name }) => String(name)) ?? [])
  expect(offered.filter((name) => !harmlessTools.has(name))).toEqual([])
  expect(sent.filter(({ body }) => String(body.model).includes('opus'))).toEqual([])
  expect(written()).toEqual([])
})

test('no text of a caller stands in a process argument, and no other program runs', async () => {
  standIn.sandbox.configure({ scenario: 'hang' })
  const leave = new AbortController()
  const asked = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/mcp', '/v1/search'].flatMap((path) =>
    (ruleFor('POST', path)?.asks ?? []).map((ask) => send('POST', path, ask(word), leave.signal).catch(() => {})),
  )
  await standIn.sandbox.until(({ open }) => open >= 4)
  const ours = descendantsOf(csp.pid)
  const programs = ours.map(({ command }) => command.split(' ')[0]?.split('/').at(-1) ?? '')
  expect(programs.filter((name) => name === 'claude').length).toBeGreaterThanOrEqual(2)
  // The shell is csp's own, with its child: it ends the CLIs that a csp that is killed leaves behind.
  expect(programs.filter((name) => !/^(bun|bun\.exe|claude)$/.test(name))).toEqual(['sh', 'sh'])
  expect(ours.filter(({ command }) => command.includes(word))).toEqual([])
  leave.abort()
  await Promise.all(asked)
  await standIn.sandbox.until(({ open }) => open === 0)
})

const isDistinct = (method: string, path: string) =>
  distinct.some((route) => route.method === method && route.path === path)

const harmlessTools = new Set(['WebSearch', 'web_search', 'DeferredToolPlaceholder', 'mcp__client__look_up'])

/** What the model is given besides pages, and what only counts. */
function isAnsweredWithoutModel(path: string): boolean {
  return /count_tokens$|\/findSimilar$|\/res\/v1\/(videos|images|suggest|spellcheck|local)\//.test(path)
}

/** Few texts that hold all of them, each as long as there is room for, so that each stands first once or behind another. */
function grouped(room: number): readonly string[] {
  const maxWords = room < 1000 ? 70 : Number.POSITIVE_INFINITY
  const groups: string[] = []
  for (const [, text] of texts) {
    const fits = text.slice(0, room)
    const hasRoom = (joined: string) => joined.length <= room && joined.split(/\s+/).length <= maxWords
    const index = groups.findIndex((group) => hasRoom(`${group}\n${fits}`))
    if (index >= 0) groups[index] = `${groups[index]}\n${fits}`
    else groups.push(maxWords === 70 ? fits.split(' ').slice(0, maxWords).join(' ') : fits)
  }
  return groups
}

async function send(
  method: string,
  path: string,
  { query, body, headers }: PromptRequest,
  signal?: AbortSignal,
): Promise<readonly [status: number, reply: string]> {
  const target = concretePath(path)
  const url = `${csp.url}${target}${query ? `?${new URLSearchParams(query)}` : ''}`
  const response = await fetch(url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  return [response.status, await response.text()]
}

function hideSecretIn(folder: string): void {
  for (const name of ['secret.txt', 'a secret.txt']) writeFileSync(join(folder, name), secret)
}

/** What the CLI was given to write or to search, less what it adds. */
function promptsIn({ messages }: RecordedRequest['body']): readonly string[] {
  const contents = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const texts = contents.flatMap((content) =>
    typeof content === 'string' ? [content] : content.map(({ text }) => String(text ?? '')),
  )
  return texts.filter(
    (text) => !/^(Perform a web search for the query: |<(system-reminder|local-command|command))/.test(text),
  )
}

/** A command, a shell line or a memo stands first, a file behind an `@` without a joiner, and a tag of the CLI's anywhere. */
function wouldBeObeyed(prompt: string): boolean {
  return /^\s*[/!#]|@(?!\u2060)|<\/?(system-reminder|command-name)/.test(prompt)
}

/** What only a command would have made. */
function written(): readonly string[] {
  return readdirSync(csp.home, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('pwned'))
}
