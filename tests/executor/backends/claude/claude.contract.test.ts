import { afterAll } from 'bun:test'
import type { SearchRequest, SearchResult } from '../../../../src/domain/search.ts'
import { type ExecutorFixture, executorContract } from '../../../contract/executor.ts'
import { replyContract } from '../../../contract/reply.ts'
import { type ClaudeFixture, startClaude, strategies } from '../../../support/claude-executor.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { quickClaude, standInClaude } from '../../../support/quick-claude.ts'

const scenarios = { succeed: 'ok', hang: 'hang', fail: 'error-429' } as const

// What the contract asks for itself takes the strategies `results` and `fast`.
const variants = {
  'results and fast': {},
  standard: strategies.standard,
  deep: strategies.deep,
  'in one call': strategies.standard,
}

// The real CLI keeps the contract with its search server, `results`, and with its workers, `deep` and in one call; what is put together of
// both is shown on the stand-in. One for all tests that do not close theirs: a CLI takes half a second of a core to start.
const real = await startClaude({ findBinary: quickClaude })
const oneCall = await startClaude({ findBinary: quickClaude, answers: 'search' })
const standIn = await startClaude({ findBinary: standInClaude })
afterAll(() => Promise.all([real, oneCall, standIn].map((claude) => claude[Symbol.asyncDispose]())))

for (const [name, variant] of Object.entries(variants)) {
  const isReal = name !== 'standard'
  executorContract(`claude, ${name},`, {
    failure: 'rate-limited',
    timeoutMs: 30_000,
    atOnce: 'effort' in variant ? 3 : 10, // each has a worker of its own; csp runs three such searches at once
    factory: async (behaviour, isClosed) => {
      const answers = name === 'in one call' ? 'search' : 'pages'
      const shared = answers === 'search' ? oneCall : isReal ? real : standIn
      const claude = isClosed
        ? await startClaude({ findBinary: isReal ? quickClaude : standInClaude, answers })
        : shared
      claude.sandbox.reset()
      claude.sandbox.configure({ scenario: scenarios[behaviour] })
      return { ...fixtureOf(claude, variant), isShared: !isClosed, dispose: async () => claude[Symbol.asyncDispose]() }
    },
  })
}

function fixtureOf({ executor, sandbox }: ClaudeFixture, variant: Partial<SearchRequest>): ExecutorFixture {
  let underWay = 0
  return {
    executor: { ...executor, search },
    begun: () => sandbox.until(({ calls }) => calls > 0),
    started: () => sandbox.stats().calls,
    async running() {
      // The sandbox hears a moment later that a connection has gone.
      if (underWay === 0) await Promise.race([sandbox.until(({ open }) => open === 0), Bun.sleep(5000)])
      return sandbox.stats().open
    },
  }

  async function* search(request: SearchRequest, context: { readonly signal: AbortSignal }) {
    underWay++
    try {
      yield* executor.search(requestFor(request.query, { ...request, ...variant }), context)
    } finally {
      underWay--
    }
  }
}

for (const strategy of ['one call', 'deep', 'text', 'write'] as const) {
  replyContract(`claude, ${strategy},`, {
    searches: strategy === 'deep' || strategy === 'one call',
    hasOtherWay: strategy === 'one call',
    hasOwnSources: strategy === 'write',
    timeoutMs: 30_000,
    create: async () => {
      const { executor, sandbox } = strategy === 'one call' ? oneCall : strategy === 'deep' ? real : standIn
      const context = { signal: new AbortController().signal }
      return {
        sandbox,
        reply: (request) =>
          strategy === 'write'
            ? executor.search(requestFor('seals', { ...strategies.standard, sources: pages, ...request }), context)
            : executor.search(requestFor('seals', { ...asked[strategy], ...request }), context),
        dispose: async () => {},
      }
    },
  })
}

const asked = { ...strategies, 'one call': strategies.standard }
const pages: readonly SearchResult[] = [{ title: 'Seals', url: 'https://one.example/seals', source: 'searxng' }]
