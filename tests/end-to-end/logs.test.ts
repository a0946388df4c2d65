import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../support/real-claude.ts'
import { entry } from '../support/tested-program.ts'

const key = 'key-of-the-caller-5b2e'
const query = 'Which harbour seals sleep at 4f1c'
const secrets = [key, 'harbour', '4f1c', 'sk-ant-oat01']

/** A csp whose log is read. */
class LoggingCsp {
  readonly standIn: RunningSandbox
  readonly #child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>
  readonly #home: ScratchHome
  log = ''

  static async start(...flags: readonly string[]): Promise<LoggingCsp> {
    const csp = new LoggingCsp(await scratchHome(), flags)
    await eventually(() => csp.log.includes('listening on'), 30_000)
    return csp
  }

  private constructor(home: ScratchHome, flags: readonly string[]) {
    this.#home = home
    this.standIn = startSandbox()
    this.#child = Bun.spawn([process.execPath, entry, 'serve', '--port', '0', '--rate', '0', ...flags], {
      env: {
        ...claudeEnvironment(this.standIn.url, home.path),
        CSP_WARM_UP: 'on',
        // What was found before would stand in for a search that fails.
        CSP_MEMORY: 'off',
        CSP_CLAUDE_BIN: standInClaude(),
        CSP_API_KEYS: key,
        TMPDIR: home.path,
      },
      cwd: home.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    void this.#read()
  }

  /** Makes a request, reads its reply, and gives the id that it has. */
  async ask(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<string> {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(this.log)?.[0] ?? ''
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    await response.text()
    return response.headers.get('x-request-id') ?? ''
  }

  /** The lines that name a request, once there is one, with this text before the id. */
  async linesOf(id: string, text = ''): Promise<readonly string[]> {
    await eventually(() => this.log.includes(text + id))
    return this.lines.filter((line) => line.includes(id))
  }

  get lines(): readonly string[] {
    return this.log.trimEnd().split('\n')
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#child.exited
    await this.standIn.stop()
    await this.#home[Symbol.asyncDispose]()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of this.#child.stderr) this.log += decoder.decode(bytes, { stream: true })
  }
}

const search = `/v1/search?${new URLSearchParams({ q: query })}`
const chat = (model: string, more: object = {}) => ({ model, messages: [{ role: 'user', content: query }], ...more })

describe('the log as JSON, at info', () => {
  let csp: LoggingCsp
  const ids: Record<string, string> = {}
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and says what it expects of it
  const entryOf = async (name: string): Promise<any> => {
    const lines = await csp.linesOf(ids[name] ?? 'none')
    expect(lines).toHaveLength(1)
    return JSON.parse(lines[0] ?? '')
  }

  beforeAll(async () => {
    csp = await LoggingCsp.start('--log-format', 'json')
    ids['miss'] = await csp.ask(search)
    ids['hit'] = await csp.ask(search)
    ids['answer'] = await csp.ask('/v1/chat/completions', chat('sonar-pro'))
    ids['stream'] = await csp.ask('/chat/completions', chat('sonar', { stream: true }))
    ids['invalid'] = await csp.ask(`${search}&count=${query}`)
    ids['unauthorized'] = await csp.ask(search, undefined, { authorization: 'Bearer wrong' })
    for (let poll = 0; poll < 3; poll++) await csp.ask('/health')
    csp.standIn.sandbox.configure({ scenario: 'error-401' })
    ids['signed-out'] = await csp.ask(`${search}+again`)
    csp.standIn.sandbox.configure({ scenario: 'ok' })
    await csp.linesOf(ids['signed-out'])
    await csp.stop()
  })

  test('every line is an object with time, level and message', () => {
    for (const line of csp.lines) {
      expect(JSON.parse(line)).toMatchObject({
        '@timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        level: expect.stringMatching(/^(info|warning|error)$/),
        message: expect.stringMatching(/\w/),
        logger: 'csp',
      })
    }
  })

  test('the start, each request and the stop have a line, and nothing else has', () => {
    const known = Object.values(ids)
    const others = csp.lines.filter((line) => !known.some((id) => line.includes(id)))
    expect(others.map((line) => JSON.parse(line).message)).toEqual([
      expect.stringMatching(/^listening on http:/),
      'stopping on SIGTERM',
    ])
  })

  test('a search that was made says what it cost and where its time went', async () => {
    const logged = await entryOf('miss')
    expect(logged).toMatchObject({
      level: 'info',
      caller: 'key-1',
      method: 'GET',
      route: '/v1/search',
      dialect: 'native',
      status: 200,
      cache: 'miss',
      backend: 'claude',
      want: 'results',
      searches: 1,
      model: expect.stringMatching(/\w/),
    })
    expect(logged.results).toBeGreaterThan(0)
    expect(logged.upstreamMs).toBeGreaterThan(0)
    expect(logged.queuedMs + logged.upstreamMs + logged.ownMs).toBe(logged.ms)
  })

  test('an answer of the cache costs nothing', async () => {
    expect(await entryOf('hit')).toMatchObject({
      ...{ level: 'info', cache: 'hit', backend: 'claude', searches: 0, inputTokens: 0, outputTokens: 0 },
      ...{ queuedMs: 0, upstreamMs: 0 },
    })
  })

  test('a written answer says its effort and its tokens, whole or streamed', async () => {
    const whole = await entryOf('answer')
    expect(whole).toMatchObject({ dialect: 'openai', want: 'answer', effort: 'standard', status: 200, cache: 'miss' })
    expect(whole.inputTokens).toBeGreaterThan(0)
    expect(whole.outputTokens).toBeGreaterThan(0)
    const streamed = await entryOf('stream')
    expect(streamed).toMatchObject({ dialect: 'perplexity', want: 'answer', effort: 'fast', status: 200 })
    expect(streamed.upstreamMs).toBeGreaterThan(0)
  })

  test("a caller's mistake is information, and names no caller without a key", async () => {
    expect(await entryOf('invalid')).toMatchObject({
      level: 'info',
      status: 400,
      code: 'invalid-request',
      caller: 'key-1',
    })
    const unauthorized = await entryOf('unauthorized')
    expect(unauthorized).toMatchObject({ level: 'info', status: 401, code: 'unauthorized' })
    expect(unauthorized).not.toHaveProperty('caller')
  })

  test('signed out is one warning, which says what to do', async () => {
    expect(await entryOf('signed-out')).toMatchObject({
      ...{ level: 'warning', status: 503, code: 'signed-out', reason: expect.stringContaining('csp login') },
    })
    expect(csp.lines.filter((line) => line.includes('csp login'))).toHaveLength(1)
  })

  test('polls of /health leave no line', () => {
    expect(csp.log).not.toContain('/health')
  })

  test('an ordinary stop leaves no warning', () => {
    const stopping = csp.lines.findIndex((line) => line.includes('stopping on SIGTERM'))
    expect(stopping).toBeGreaterThan(0)
    expect(csp.lines.slice(stopping + 1)).toEqual([])
  })

  test('neither queries nor keys are in it', () => {
    for (const secret of secrets) expect(csp.log).not.toContain(secret)
  })
})

describe('the log as text, at debug', () => {
  let csp: LoggingCsp
  beforeAll(async () => {
    csp = await LoggingCsp.start('--log-level', 'debug')
  })
  afterAll(() => csp.stop())

  test('a line has time, level, request and id', async () => {
    const id = await csp.ask(search)
    const [line, ...more] = await csp.linesOf(id, 'none is kept id=')
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info GET \/v1\/search 200 \d+ms cache=miss id=[0-9a-f-]{36}$/)
    expect(more).toEqual([expect.stringMatching(/ debug No cached answer was used: none is kept id=/)])
  })

  test('workers say when and why they start', async () => {
    await csp.ask('/v1/chat/completions', chat('sonar-pro'))
    expect(csp.log).toMatch(/ debug The search server has started$/m)
    expect(csp.log).toMatch(/ debug An answerer for sonnet starts, 1 in all$/m)
  })

  test('a search that failed says all its causes, without the query', async () => {
    csp.standIn.sandbox.configure({ scenario: 'error-500' })
    const id = await csp.ask(`${search}+once+more`)
    const lines = await csp.linesOf(id, 'The request failed id=')
    expect(lines).toContainEqual(expect.stringMatching(/ (warning|error) GET \/v1\/search 50\d .* code=\S+ id=\S+: \w/))
    expect(lines).toContainEqual(expect.stringMatching(/ debug The request failed id=\S+: [a-z-]+: .+/))
    csp.standIn.sandbox.configure({ scenario: 'ok' })
    await csp.ask('/v1/search?q=a+search+that+works')
  })

  test('/health is a line at debug', async () => {
    const [line] = await csp.linesOf(await csp.ask('/health'))
    expect(line).toMatch(/ debug GET \/health 200 /)
  })

  test('neither queries nor keys are in it', () => {
    for (const secret of secrets) expect(csp.log).not.toContain(secret)
  })
})

test('the simple log is the text without the time', async () => {
  const csp = await LoggingCsp.start('--log-format', 'simple', '--sandbox', '--backends', 'messages')
  const id = await csp.ask(search)
  const [line] = await csp.linesOf(id)
  await csp.stop()
  expect(line).toBe(`info GET /v1/search 200 ${/\d+ms/.exec(line ?? '')?.[0]} cache=miss id=${id}`)
  for (const each of csp.lines) expect(each).toMatch(/^info \S/)
})
