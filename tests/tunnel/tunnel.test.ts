import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { connect as connectSocket } from 'node:net'
import { eventually } from '@csp/testing/eventually'
import { createHomeApp } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import type { Executor } from '../../src/executor/executor.ts'
import { type ConnectHomeOptions, connectHome, type HomeLink } from '../../src/runtime/server/tunnel/connect-home.ts'
import { describeState, onlyNews } from '../../src/runtime/server/tunnel/link.ts'
import type { HomeState } from '../../src/tunnel/home/tunnel-server.ts'
import { signLogin } from '../../src/tunnel/login.ts'
import { connectPath, packData, protocolVersion, windowBytes } from '../../src/tunnel/protocol.ts'
import { answers, fails, fakeExecutor, hangs } from '../support/fake-executor.ts'
import { answered, found, scriptedExecutor } from '../support/scripted-executor.ts'
import { type Edge, States, secret, startEdge } from './support/edge.ts'
import { type RawHome, rawHome, replying } from './support/raw-home.ts'

let edge: Edge
const links: HomeLink[] = []
beforeAll(async () => {
  edge = await startEdge()
})
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.stop(AbortSignal.abort())))
  await eventually(async () => (await edge.status()).homes.length === 0)
})
afterAll(() => edge.dispose())

interface Home {
  readonly link: HomeLink
  readonly states: States
}

/** A home in this process, connected. */
async function connect(handler: ConnectHomeOptions['handler'], more: Partial<ConnectHomeOptions> = {}): Promise<Home> {
  const states = new States()
  const link = connectHome({
    url: edge.url,
    secret,
    home: 'attic',
    capacity: 60,
    handler,
    onState: states.add,
    ...more,
  })
  links.push(link)
  await states.reached('connected')
  return { link, states }
}

function serving(executor: Executor): ConnectHomeOptions['handler'] {
  const app = createHomeApp({ executor, version: '1.2.3', heartbeatMs: 50 })
  return (request) => app.fetch(request)
}

const usual = () => scriptedExecutor(({ want }) => (want === 'results' ? found(3) : answered))

function chat(headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'hello you' }] })
  return fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers, body, ...(signal && { signal }) })
}

test('a search reaches home with its caller and its cache rule, and the health names the home', async () => {
  const executor = usual()
  const { link } = await connect(serving(executor))
  const response = await fetch(`${edge.url}/v1/search?q=harbour+seals`, { headers: { 'cache-control': 'no-cache' } })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ query: 'harbour seals', total_results: 3 })
  const [call] = executor.calls
  expect(call?.request.query).toBe('harbour seals')
  expect(call?.context.cache).toBe('no-cache')
  expect(call?.context.caller).toStartWith('edge')
  expect(link.status()).toMatchObject({ connected: true, served: 1, running: 0 })
  expect(await (await fetch(`${edge.url}/health`)).json()).toMatchObject({ status: 'ok', backends: [{ name: 'home' }] })
})

test('a streamed answer arrives whole, written by the edge from the events of home', async () => {
  await connect(serving(usual()))
  const text = await (await chat()).text()
  expect(text).toContain('It is 🙂 so')
  expect(text).toEndWith('data: [DONE]\n\n')
})

test('an error at home reaches the caller with its code, its status and the time to come back', async () => {
  await connect(
    serving(
      fakeExecutor(async function* () {
        yield* []
        throw new SearchError('rate-limited', 'The usage limit is reached.', { retryAfterSeconds: 321 })
      }),
    ),
  )
  const response = await chat()
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('321')
  expect(await response.text()).toContain('The usage limit is reached.')
})

test('an error of a search that has begun is the last event of its stream', async () => {
  await connect(serving(fakeExecutor(fails('timeout'))))
  const response = await fetch(`${edge.url}/execute`, { method: 'POST', body: execution('q') })
  const last = (await response.text()).trimEnd().split('\n').at(-1)
  expect(last).toContain('"type":"error","code":"timeout"')
})

test('the edge passes nothing but searches to a home', async () => {
  await connect(serving(usual()))
  for (const path of ['/health', '/v1/models', '/v1/usage', '/', '/connect', '/v1/search?q=hello', '/mcp']) {
    expect((await fetch(`${edge.url}/raw${path}`)).status).toBe(404)
  }
  const asked = await fetch(`${edge.url}/raw/execute`, { method: 'POST', body: execution('hello') })
  expect(asked.status).toBe(200)
  await asked.text()
})

test('a request with many headers reaches home with few, without its keys, and costs no home its connection', async () => {
  let seen: Headers | undefined
  const { link } = await connect((request) => {
    seen = request.headers
    return serving(usual())(request)
  })
  const keys = { 'api-key': 'k', 'x-auth-token': 'k', authorization: 'Bearer k', 'x-api-key': 'k', cookie: 'k' }
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x-noise-${index}`, 'value']))
  const raw = await fetch(`${edge.url}/raw/execute`, {
    method: 'POST',
    body: execution('hello'),
    headers: { ...many, ...keys, accept: 'application/json', 'cache-control': 'no-cache' },
  })
  expect(raw.status).toBe(200)
  await raw.text()
  expect([...(seen?.keys() ?? [])]).toEqual(['accept', 'cache-control'])
  const streamed = await chat({ ...many, ...keys })
  expect(streamed.status).toBe(200)
  await streamed.text()
  expect([...(seen?.keys() ?? [])]).toEqual(['accept', 'content-type', 'x-csp-caller', 'x-request-id'])
  expect(link.status()).toMatchObject({ connected: true, lastError: undefined })
})

test('a caller who leaves stops the search at home', async () => {
  const executor = fakeExecutor(hangs)
  const { link } = await connect(serving(executor))
  const leaving = new AbortController()
  const reply = chat({}, leaving.signal)
    .then((response) => response.text())
    .catch(() => 'gone')
  await executor.begun()
  leaving.abort()
  expect(await reply).toBe('gone')
  await eventually(() => executor.running === 0)
  await eventually(() => link.status().running === 0)
})

test('fifty streams at once are not mixed', async () => {
  await connect(({ url }) => {
    const name = new URL(url).searchParams.get('name') ?? ''
    let left = 12
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(0)
          if (left-- > 0) controller.enqueue(new TextEncoder().encode(`${name};`.repeat(left * 40)))
          else controller.close()
        },
      }),
    )
  })
  const names = Array.from({ length: 50 }, (_, index) => `stream-${index}`)
  const replies = await Promise.all(names.map((name) => fetch(`${edge.url}/raw/a?name=${name}`)))
  const texts = await Promise.all(replies.map((reply) => reply.text()))
  const whole = names.map((name) => `${name};`.repeat((11 * 12 * 40) / 2))
  // Short where it fails.
  const seen = texts.map((text, index) => (text === whole[index] ? 'whole' : `${text.length}: ${text.slice(-99)}`))
  expect(replies.map(({ status }, index) => `${status} ${seen[index]}`)).toEqual(names.map(() => '200 whole'))
})

test('a caller who does not read holds the reply back at home', async () => {
  const chunk = new Uint8Array(256 * 1024)
  let made = 0
  let isCancelled = false
  await connect(
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            made += chunk.byteLength
            controller.enqueue(chunk)
          },
          cancel() {
            isCancelled = true
          },
        }),
      ),
  )
  // A socket of our own, since `fetch` takes in what nobody reads.
  const { port } = new URL(edge.url)
  const socket = connectSocket(Number(port), '127.0.0.1')
  socket.write('GET /raw/a HTTP/1.1\r\nhost: edge\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  // What lies in the sockets between is theirs to bound; it stops growing, far from what a busy home could make.
  let before = -1
  while (before !== made) {
    before = made
    await Bun.sleep(200)
  }
  expect(made).toBeGreaterThan(windowBytes / 2)
  expect(made).toBeLessThan(64 * 1024 * 1024)
  socket.destroy()
  await eventually(() => isCancelled)
})

test('the edge spreads requests over its homes, and what one has no room for goes to the next', async () => {
  const gate = Promise.withResolvers<void>()
  const named = (name: string) => async () => {
    await gate.promise
    return new Response(name)
  }
  const a = await connect(named('a'), { home: 'a', capacity: 2 })
  const b = await connect(named('b'), { home: 'b', capacity: 2 })
  const replies = Array.from({ length: 4 }, async () => (await fetch(`${edge.url}/raw/a`)).text())
  await eventually(() => a.link.status().running + b.link.status().running === 4)
  const refused = await fetch(`${edge.url}/raw/a`)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('5')
  gate.resolve()
  expect((await Promise.all(replies)).sort()).toEqual(['a', 'a', 'b', 'b'])
})

test('a request goes to the home that has less to do, whichever came first', async () => {
  const gate = Promise.withResolvers<void>()
  const named = (name: string) => async () => {
    await gate.promise
    return new Response(name)
  }
  const a = await connect(named('a'), { home: 'a', capacity: 9 })
  const b = await connect(named('b'), { home: 'b', capacity: 9 })
  const replies: Promise<string>[] = []
  for (const running of [1, 2, 3, 4]) {
    replies.push(fetch(`${edge.url}/raw/a`).then((response) => response.text()))
    await eventually(() => a.link.status().running + b.link.status().running === running)
  }
  expect([a.link.status().running, b.link.status().running]).toEqual([2, 2])
  gate.resolve()
  await Promise.all(replies)
})

test('32 homes may be connected, and one more is refused', async () => {
  const homes: RawHome[] = []
  try {
    for (let index = 0; index < 32; index++) homes.push(await rawHome(edge.url, `home-${index}`))
    const oneMore = rawHome(edge.url, 'attic').then((home) => homes.push(home))
    await expect(oneMore).rejects.toThrow('does not let it in')
    expect((await edge.status()).homes).toHaveLength(32)
  } finally {
    for (const home of homes) home.close()
  }
})

test.each([429, 503])('a home that refuses with %i rests, and the next one answers', async (status) => {
  let asked = 0
  const refusing = () => {
    asked++
    return Response.json({ type: 'error' }, { status, headers: { 'retry-after': '30' } })
  }
  await connect(refusing, { home: 'limited' })
  await connect(() => new Response('from the other'), { home: 'other' })
  for (let round = 0; round < 3; round++) {
    expect(await (await fetch(`${edge.url}/raw/a`)).text()).toBe('from the other')
  }
  expect(asked).toBe(1)
  const { homes } = await edge.status()
  expect(homes.map(({ name, problem }) => [name, problem !== undefined])).toEqual([
    ['limited', true],
    ['other', false],
  ])
})

test('when every home refuses, the reply is that of the one to come back to first', async () => {
  const refusing = (seconds: string) => () =>
    Response.json({ after: seconds }, { status: 429, headers: { 'retry-after': seconds } })
  await connect(refusing('90'), { home: 'a' })
  await connect(refusing('20'), { home: 'b' })
  await connect(refusing('40'), { home: 'c' })
  const reply = await fetch(`${edge.url}/raw/a`)
  expect(reply.status).toBe(429)
  expect(await reply.json()).toEqual({ after: '20' })
})

test('a home that is asked again after its rest may answer; a home alone is asked in spite of it', async () => {
  let isLimited = true
  await connect(() => new Response(isLimited ? 'no' : 'yes', { status: isLimited ? 429 : 200 }), { home: 'only' })
  expect((await fetch(`${edge.url}/raw/a`)).status).toBe(429)
  isLimited = false
  expect(await (await fetch(`${edge.url}/raw/a`)).text()).toBe('yes')
})

test('a home that says it is signed out is passed over until it says otherwise, and /health shows it', async () => {
  let state: HomeState = { ready: false, problem: 'Nobody is signed in.' }
  let asked = 0
  const answer = () => {
    asked++
    return new Response('from the first')
  }
  await connect(answer, { home: 'first', state: async () => state, pingIntervalMs: 30 })
  await connect(() => new Response('from the second'), { home: 'second' })
  const problem = async () => (await edge.status()).homes.find(({ name }) => name === 'first')?.problem
  await eventually(async () => (await problem()) === 'Nobody is signed in.')
  for (let round = 0; round < 3; round++) await (await fetch(`${edge.url}/raw/a`)).text()
  expect(asked).toBe(0)
  expect(await (await fetch(`${edge.url}/health`)).text()).toContain('rests (Nobody is signed in.)')
  state = { ready: true }
  await eventually(async () => (await problem()) === undefined)
  expect(await (await fetch(`${edge.url}/raw/a`)).text()).toBe('from the first')
})

test('searches go to homes by their workers, not by how many may wait there', async () => {
  const gate = Promise.withResolvers<void>()
  const waiting = async () => {
    await gate.promise
    return new Response('done')
  }
  const few = await connect(waiting, { home: 'few', workers: 3, capacity: 103 })
  const many = await connect(waiting, { home: 'many', workers: 10, capacity: 15 })
  const replies: Promise<string>[] = []
  const running = () => [few.link.status().running, many.link.status().running]
  for (const count of [13, 26]) {
    while (replies.length < count)
      replies.push(fetch(`${edge.url}/raw/${replies.length}`).then((reply) => reply.text()))
    await eventually(() => running().reduce((sum, one) => sum + one, 0) === count)
    expect(running()).toEqual(count === 13 ? [3, 10] : [11, 15])
  }
  gate.resolve()
  await Promise.all(replies)
})

test('equal searches at the same time go to the same home, which makes one of them', async () => {
  const gate = Promise.withResolvers<void>()
  const waiting = async () => {
    await gate.promise
    return new Response('done')
  }
  const a = await connect(waiting, { home: 'a' })
  const b = await connect(waiting, { home: 'b' })
  const ask = (body: string) => fetch(`${edge.url}/raw/a`, { method: 'POST', body }).then((reply) => reply.text())
  const running = () => [a.link.status().running, b.link.status().running]
  const first = ask('the same')
  await eventually(() => running()[0] === 1)
  const others = [ask('the same'), ask('the same'), ask('another')]
  await eventually(() => running().join() === '3,1')
  gate.resolve()
  await Promise.all([first, ...others])
})

test('a home whose acceptance waits behind other replies in a full uplink is waited for', async () => {
  using home = await rawHome(edge.url, 'slow-uplink')
  const first = fetch(`${edge.url}/raw/first`)
  const { id } = await replying(home)
  const second = fetch(`${edge.url}/raw/second`)
  const waiting = await home.next('request')
  // The acceptance may take a second in these tests. The first frame comes well before, however slow the machine is.
  for (let sent = 0; sent < 6; sent++) {
    home.send(packData({ id, bytes: new Uint8Array(9) }))
    await Bun.sleep(300)
  }
  home.send({ type: 'accept', id: waiting.id })
  home.send({ type: 'reply', id: waiting.id, status: 200, headers: [] })
  for (const ended of [id, waiting.id]) home.send({ type: 'end', id: ended })
  expect((await second).status).toBe(200)
  await (await first).arrayBuffer()
  expect((await edge.status()).homes).toMatchObject([{ silent: false }])
  home.close()
})

test('a request has the same id at the edge and at home', async () => {
  const seen: (string | null)[] = []
  const ids: string[] = []
  const app = createHomeApp({ executor: usual(), version: '1.2.3', log: ({ id }) => ids.push(id) })
  await connect((request) => {
    seen.push(request.headers.get('x-request-id'))
    return app.fetch(request)
  })
  const response = await fetch(`${edge.url}/v1/search?q=harbour+seals`)
  await response.text()
  const id = response.headers.get('x-request-id') ?? 'none'
  expect(seen).toEqual([id])
  await eventually(() => ids.length === 1)
  expect(ids).toEqual([id])
})

test('an edge tells a home of the version before to update, since its login would hold at other edges', async () => {
  const login = await signLogin(secret, { home: 'older', capacity: 4, version: protocolVersion - 1 })
  const message = expect.stringContaining('Update csp at home.')
  expect(await refusalTo(login)).toMatchObject({ status: 401, code: 'version', message })
})

test('a login for another edge lets nobody in', async () => {
  const login = await signLogin(secret, { ...claims(), edge: 'other.example' })
  expect(await refusalTo(login)).toMatchObject({ status: 401, code: 'login' })
})

test('a search is unavailable while no home is connected, and its error says so', async () => {
  const response = await fetch(`${edge.url}/v1/search?q=hello`)
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('No home is connected.')
  expect(await (await fetch(`${edge.url}/health`)).json()).toMatchObject({ status: 'down' })
})

test('a request whose home is lost before its reply has begun is answered by another home', async () => {
  using dying = await rawHome(edge.url, 'dying')
  await connect(() => new Response('from the other'), { home: 'other' })
  const reply = fetch(`${edge.url}/raw/a`)
  dying.send({ type: 'accept', id: (await dying.next('request')).id })
  dying.close()
  expect(await (await reply).text()).toBe('from the other')
})

test('a stream whose home is lost in the middle ends with an error that says so', async () => {
  const { link } = await connect(
    serving(
      fakeExecutor(async function* (request, signal) {
        for await (const event of answers(request)) if (event.type !== 'done') yield event
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      }),
    ),
  )
  const response = await chat()
  const reader = response.body?.getReader()
  const first = new TextDecoder().decode((await reader?.read())?.value)
  expect(first).toStartWith('data: {')
  await link.stop(AbortSignal.abort())
  let rest = ''
  for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
    rest += new TextDecoder().decode(step.value)
  }
  expect(rest).toContain('"error"')
  expect(rest).toMatch(/connection to .* was lost/)
})

test('a home that is told to stop finishes what runs and takes nothing new', async () => {
  const gate = Promise.withResolvers<void>()
  const { link, states } = await connect(async () => {
    await gate.promise
    return new Response('finished')
  })
  const reply = fetch(`${edge.url}/raw/a`)
  await eventually(() => link.status().running === 1)
  const stopped = link.stop(new AbortController().signal)
  await eventually(async () => (await edge.status()).homes[0]?.draining === true)
  const refused = await fetch(`${edge.url}/raw/b`)
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('The home is stopping')
  gate.resolve()
  expect(await (await reply).text()).toBe('finished')
  await stopped
  await link.ended
  expect(states.all.at(-1)?.name).toBe('stopped')
})

test('a home that connects again replaces its old connection, which does not come back', async () => {
  const first = await connect(() => new Response('old'))
  await connect(() => new Response('new'))
  await first.link.ended
  expect(first.states.all.at(-1)?.name).toBe('replaced')
  expect((await edge.status()).homes).toHaveLength(1)
  expect(await (await fetch(`${edge.url}/raw/a`)).text()).toBe('new')
})

test('a home connects again to an edge that has stopped and started', async () => {
  const first = await startEdge()
  const { link, states } = await connect(() => new Response('back'), { url: first.url, capacity: 1 })
  await first.dispose()
  await states.reached('lost')
  await using second = await startEdge(Number(new URL(first.url).port))
  await states.reached('connected', 2)
  expect(await (await fetch(`${second.url}/raw/a`)).text()).toBe('back')
  await link.stop(AbortSignal.abort())
})

test('a home leaves an edge that does not answer a ping', async () => {
  const deaf = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response('', { status: 500 })),
    websocket: { message() {} },
  })
  const { states } = await connect(() => new Response(), { url: deaf.url.origin, answerTimeoutMs: 50 })
  expect((await states.reached('lost')).reason).toBe('The edge does not answer.')
  await deaf.stop(true)
})

test.each([
  ['the wrong secret', { secret: 'another-secret-of-tests' }, 'login'],
  ['an address where no edge is', { url: 'here' }, 'no-edge'],
])('a home that is refused because of %s says so, and tries again only after ten seconds', async (_, more, code) => {
  const plain = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('', { status: 404 }) })
  const states = new States()
  const options = { url: edge.url, secret, home: 'attic', capacity: 1, handler: () => new Response(), ...more }
  const url = options.url === 'here' ? plain.url.origin : options.url
  const link = connectHome({ ...options, url, onState: states.add })
  links.push(link)
  const { refusal, retryInMs } = await states.reached('refused')
  expect(refusal.code).toBe(code)
  expect(retryInMs).toBeGreaterThan(10_000)
  await link.stop(AbortSignal.abort())
  await link.ended
  await plain.stop(true)
})

test('a home tries an edge that is not there again after a longer wait each time', async () => {
  const states = new States()
  const link = connectHome({
    url: 'http://127.0.0.1:9',
    secret,
    home: 'attic',
    capacity: 1,
    handler: () => new Response(),
    onState: states.add,
    // Always the same part of the longest wait.
    random: () => 0.01,
  })
  links.push(link)
  const first = await states.reached('lost')
  expect((await states.reached('lost', 2)).retryInMs).toBeGreaterThan(first.retryInMs)
  await link.stop(AbortSignal.abort())
})

test('a home asks an edge that was never there less and less often, and says the cause once', async () => {
  const states = new States()
  const news: string[] = []
  const place = { url: 'http://127.0.0.1:9', secret, home: 'attic', workers: 1, capacity: 1 }
  const tell = onlyNews((state) => news.push(describeState(state, place)))
  const link = connectHome({
    ...place,
    handler: () => new Response(),
    onState(state) {
      states.add(state)
      tell(state)
    },
    random: () => 0.02,
  })
  links.push(link)
  await states.reached('lost', 5)
  await link.stop(AbortSignal.abort())
  await link.ended
  const waits = states.all.flatMap((state) => (state.name === 'lost' ? [state.retryInMs] : []))
  expect(waits.slice(0, 5)).toEqual([40, 80, 160, 320, 600])
  expect(news).toEqual([
    'connecting to http://127.0.0.1:9 as attic',
    '127.0.0.1:9 cannot be reached: nothing listens there. Trying again until it works, within 30 s each time.',
    'disconnected from http://127.0.0.1:9',
  ])
  expect(link.status().lastError).toBe('127.0.0.1:9 cannot be reached: nothing listens there.')
})

test('a home says a failure again when its cause has changed, and after a connection', () => {
  const told: string[] = []
  const report = onlyNews((state) => told.push(state.name === 'lost' ? state.reason : state.name))
  const lost = (reason: string) => report({ name: 'lost', reason, retryInMs: 1 })
  report({ name: 'connecting' })
  for (const reason of ['a', 'a', 'b', 'b', 'a']) {
    lost(reason)
    report({ name: 'connecting' })
  }
  report({ name: 'connected' })
  lost('a')
  lost('a')
  expect(told).toEqual(['connecting', 'a', 'b', 'a', 'connected', 'a'])
})

test('a home tries an edge that is not there again at once where its waits are zero', async () => {
  const states = new States()
  const link = connectHome({
    url: 'http://127.0.0.1:9',
    secret,
    home: 'attic',
    capacity: 1,
    handler: () => new Response(),
    onState: states.add,
    random: () => 0,
  })
  links.push(link)
  await states.reached('lost', 3)
  expect(states.all.some(({ name }) => name === 'refused')).toBe(false)
  await link.stop(AbortSignal.abort())
})

const claims = () => ({ home: 'attic', capacity: 1, version: protocolVersion, edge: new URL(edge.url).host })

test('a login lets in one connection and no second one', async () => {
  const login = await signLogin(secret, claims())
  using home = await rawHome(edge.url, 'attic', login)
  await expect(rawHome(edge.url, 'attic', login)).rejects.toThrow('does not let it in')
  expect(await refusalTo(login)).toMatchObject({ code: 'replayed' })
  home.close()
})

test.each([
  ['no login', '', 'login'],
  ['a forged name', 'forged', 'login'],
  ['an old login', 'old', 'clock'],
  ['another version', 'version', 'version'],
])('the edge lets in no connection with %s, whichever way the request reaches its object', async (_, kind, code) => {
  const logins: Record<string, string> = {
    forged: (await signLogin(secret, claims())).replace('home=attic', 'home=cellar'),
    old: await signLogin(secret, claims(), { now: Date.now() - 120_000 }),
    version: await signLogin(secret, { ...claims(), version: protocolVersion + 1 }),
  }
  for (const path of [connectPath, '/straight/connect']) {
    expect(await refusalTo(logins[kind] ?? '', path)).toMatchObject({ status: 401, code })
  }
})

async function refusalTo(authorization: string, path: string = connectPath): Promise<object> {
  const response = await fetch(`${edge.url}${path}`, { headers: { authorization } })
  return { status: response.status, ...((await response.json()) as object) }
}

function execution(query: string): string {
  return JSON.stringify({ request: { query, history: [], want: 'results', effort: 'fast', filters: {} } })
}
