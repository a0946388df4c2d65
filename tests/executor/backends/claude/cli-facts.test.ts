import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../../../src/domain/answer.ts'
import { composed } from '../../../../src/executor/answer/composed.ts'
import { childEnvironment, workerArguments } from '../../../../src/executor/backends/claude/cli/launch.ts'
import { searcherSystemPrompt } from '../../../../src/executor/backends/claude/prompts.ts'
import { type AgentEvent, runTurn } from '../../../../src/executor/backends/claude/worker/turn.ts'
import { Worker } from '../../../../src/executor/backends/claude/worker/worker.ts'
import { overPages, PageExcerpts } from '../../../../src/executor/layers/excerpts/excerpted.ts'
import { connectToServe, observeServe } from '../../../sandbox/observe-cli.ts'
import { type ClaudeCom, serveClaudeCom } from '../../../support/claude-com.ts'
import { type ClaudeFixture, startClaude } from '../../../support/claude-executor.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { describeNeeding } from '../../../support/needs.ts'
import { oddClaude } from '../../../support/odd-claude.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { claudeEnvironment, realClaude, type ScratchHome, scratchHome } from '../../../support/real-claude.ts'

// What csp relies on of the installed CLI. What it does about odd replies is in strategies/odd-replies.ts.

const running = startSandbox()
const { sandbox } = running
const home = await scratchHome()
beforeEach(() => sandbox.reset())
afterAll(async () => {
  await running.stop()
  await home[Symbol.asyncDispose]()
})

const environment = () =>
  childEnvironment({ environment: claudeEnvironment(running.url, home.path), auth: 'subscription', effort: 'low' })

describe('a path behind an @ in a prompt', () => {
  const secret = 'xyzzy-4711-plugh'

  /** Without csp's other safeguards: no `--restricted`, and no joiner behind the @. */
  async function isRead(env: Readonly<Record<string, string>>): Promise<boolean> {
    writeFileSync(join(home.path, 'secret.txt'), secret)
    const args = ['--print', '--tools', '', '--setting-sources=', '--no-session-persistence']
    const stdin = new Blob(['What is in @secret.txt ?'])
    const child = Bun.spawn([realClaude, ...args], { cwd: home.path, env, stdin, stdout: 'ignore', stderr: 'ignore' })
    expect(await child.exited).toBe(0)
    expect(sandbox.stats().calls).toBeGreaterThan(0)
    return JSON.stringify(sandbox.requests()).includes(secret)
  }

  test('is read by the CLI if nothing prevents it', async () => {
    const { CLAUDE_CODE_DISABLE_FILE_MENTIONS: _, ...env } = environment()
    expect(await isRead(env)).toBe(true)
  })

  test('is not read in the environment that csp gives to the CLI', async () => {
    expect(await isRead(environment())).toBe(false)
  })
})

describe('the budget of searches of a CLI session', () => {
  const capped = { CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION: '1', CLAUDE_CODE_WEB_SEARCH_REFILLS_PER_HOUR: '0' }

  test('does not apply to the search server', async () => {
    const client = await connectToServe(running.url, home.path, capped)
    for (const query of ['seals', 'bees', 'wasps']) {
      expect((await observeServe(client, { query })).results).toEqual([8, expect.stringMatching(/^Sandbox answer/)])
    }
    await client.close()
  })

  test('that is used up makes the search of a worker fail, and gives no summary', async () => {
    expect(await searchTwice({ ...environment(), ...capped })).toEqual([
      { type: 'search-failed', id: expect.any(String), error: expect.objectContaining({ code: 'rate-limited' }) },
      expect.objectContaining({ type: 'search-output' }),
    ])
  })

  test('is large enough in the environment that csp gives to the CLI', async () => {
    expect(environment()).toMatchObject({
      CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION: '100000',
      CLAUDE_CODE_WEB_SEARCH_REFILLS_PER_HOUR: '3600',
    })
    const found = expect.objectContaining({ type: 'search-output' })
    expect(await searchTwice(environment())).toEqual([found, found])
  })

  /** What a worker reports of the two searches of a turn. */
  async function searchTwice(env: Record<string, string>): Promise<readonly AgentEvent[]> {
    sandbox.configure({ scenario: [{ scenario: 'search-twice', kind: 'decide' }] })
    const command = [realClaude, ...workerArguments('searcher', searcherSystemPrompt(), new Set())]
    const worker = new Worker({
      command,
      environment: env,
      directory: home.path,
      model: 'sonnet',
      tools: ['WebSearch'],
    })
    const { signal } = new AbortController()
    const turn = { prompt: 'Search for seals.', model: 'sonnet', tools: undefined, signal, enough: signal }
    const events: AgentEvent[] = []
    for await (const event of runTurn(worker, { ...turn, now: () => new Date(), onRateLimit: () => {} })) {
      if (event.type === 'search-output' || event.type === 'search-failed') events.push(event)
    }
    await worker.stop()
    return events.toSorted((a, b) => a.type.localeCompare(b.type))
  }
})

describe('results that have the text of their pages', () => {
  const filler = 'Salt was dear, and the harvest was poor in those years. '
  const text = `Seals sleep on ice. ${filler.repeat(16)} Seals eat crabs.`
  let other: ClaudeFixture
  beforeAll(async () => {
    const sed = String.raw`sed -u -e 's/\\"title\\":/\\"snippet\\":\\"${text}\\",\\"title\\":/g' -e 's/srvtoolu_sandbox[0-9]*/search-service-1/g'`
    const script = `case "$*" in *serve*) "$claude" "$@" | ${sed} ;; *) exec "$claude" "$@" ;; esac`
    const odd = oddClaude(home.path, script, quickClaude())
    other = await startClaude({ on: running, findBinary: () => odd })
  })
  afterAll(() => other[Symbol.asyncDispose]())

  test('let an answer be written without reading any of them', async () => {
    const reader = fakePageReader({})
    const { engine } = other
    const over = overPages(new PageExcerpts({ reader, source: 'pages' }))(composed(engine, { writers: [engine] }))
    const request = requestFor('what seals eat', { want: 'answer', effort: 'standard' })
    const { searches } = await collect(over.search(request, { signal: new AbortController().signal }))
    expect(searches[0]?.results[0]?.passages).toHaveLength(1)
    const calls = sandbox.requests()
    expect(calls.map(({ kind }) => kind)).toEqual(['search', 'write'])
    for (const said of ['Seals sleep on ice.', 'Seals eat crabs.'])
      expect(JSON.stringify(calls[1]?.body.messages)).toContain(said)
    expect(reader.requests).toEqual([])
  })

  test('give its beginning to their rows as the snippets', async () => {
    sandbox.configure({ scenario: 'no-summary' })
    const { searches } = await other.search('seals')
    expect(searches[0]?.results.map(({ snippet }) => snippet)).toEqual(
      Array(8).fill(`Seals sleep on ice. ${filler.repeat(6)}`.trim()),
    )
  })
})

describe('a search tool with modes', () => {
  // The CLI's own switch, which it heeds at Anthropic's address alone. Its default would be the other mode.
  const withModes = 'export CLAUDE_CODE_WEB_SEARCH_FAST_ARG=1'

  test('makes the quick and cheap search where the search server calls it', async () => {
    const atAnthropic = `${withModes} _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1`
    const odd = oddClaude(home.path, `case "$*" in *serve*) ${atAnthropic} ;; esac; exec "$claude" "$@"`, quickClaude())
    await using other = await startClaude({ on: running, findBinary: () => odd })
    await other.search('seals')
    for (const effort of ['fast', 'standard'] as const) await other.search('seals', { want: 'answer', effort })
    expect(profiles()).toEqual([['fast'], ['fast'], ['fast']])
  })

  describeNeeding('openssl', Bun.which('openssl') !== null)('that a worker calls', () => {
    let own: ScratchHome
    let anthropic: ClaudeCom
    let other: ClaudeFixture
    beforeAll(async () => {
      own = await scratchHome()
      anthropic = serveClaudeCom(own.path, { messages: sandbox.fetch })
      const withoutServer = `"$claude" "$@" | sed -u 's/"WebSearch"/"Other"/g'`
      const odd = oddClaude(
        own.path,
        `${withModes}; case "$*" in *serve*) ${withoutServer} ;; *) exec "$claude" "$@" ;; esac`,
        quickClaude(),
      )
      const variables = { ...anthropic.environment, ANTHROPIC_BASE_URL: 'https://api.anthropic.com' }
      other = await startClaude({ on: running, findBinary: () => odd, variables })
    })
    afterAll(async () => {
      await other[Symbol.asyncDispose]()
      await anthropic[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    })

    test('searches in the mode that the model of a `deep` answer chooses', async () => {
      const { text, searches, citations, usage } = await other.search('seals', { want: 'answer', effort: 'deep' })
      expect(modes()).toEqual(['extended'])
      expect(profiles()).toEqual([[undefined]])
      expect(text).toStartWith('Sandbox answer')
      const found = searches.flatMap(({ results }) => results.map(({ url }) => url))
      expect(found).toHaveLength(8)
      expect(citations.length).toBeGreaterThan(0)
      for (const { url } of citations) expect(found).toContain(url)
      expect(usage.searches).toBe(1)
      expect(usage.inputTokens).toBeGreaterThan(0)
    })

    test('is asked for the quick and cheap search by every other request', async () => {
      await other.search('seals', { want: 'results' })
      for (const effort of ['fast', 'standard'] as const) await other.search('seals', { want: 'answer', effort })
      expect(profiles()).toEqual([['fast'], ['fast'], ['fast']])
    })
  })

  /** The profile that each search asked the API for. */
  function profiles() {
    const searches = sandbox.requests().filter(({ kind }) => kind === 'search')
    return searches.map(({ body }) => body.tools?.map((tool) => Object(tool).search_profile))
  }

  /** The mode of each call of WebSearch that a model made, as its conversation has it. */
  function modes() {
    const conversations = sandbox.requests().filter(({ kind }) => kind === 'write')
    return conversations.flatMap(({ body }) => {
      const blocks = body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      return blocks.filter(({ name }) => name === 'WebSearch').map(({ input }) => Object(input).mode)
    })
  }
})
