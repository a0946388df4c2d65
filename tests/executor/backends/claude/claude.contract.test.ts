import { afterAll } from 'bun:test'
import type { SearchRequest, SearchResult } from '../../../../src/domain/search.ts'
import { executorContract } from '../../../contract/executor.ts'
import { replyContract } from '../../../contract/reply.ts'
import { startClaude, strategies } from '../../../support/claude-executor.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { quickClaude } from '../../../support/odd-claude.ts'
import { scratchHome } from '../../../support/real-claude.ts'

const folder = await scratchHome()
const binary = quickClaude(folder.path)
afterAll(() => folder[Symbol.asyncDispose]())

const scenarios = { succeed: 'ok', hang: 'hang', fail: 'error-429' } as const

// What the contract asks for itself takes the strategies `results` and `fast`.
const variants = { 'results and fast': {}, standard: strategies.standard, deep: strategies.deep }

for (const [name, variant] of Object.entries(variants)) {
  executorContract(`claude, ${name},`, {
    failure: 'rate-limited',
    timeoutMs: 30_000,
    factory: async (behaviour) => {
      const { executor, sandbox, ...fixture } = await startClaude({
        findBinary: () => binary,
        sandbox: { scenario: scenarios[behaviour] },
      })
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
        dispose: async () => fixture[Symbol.asyncDispose](),
      }

      async function* search(request: SearchRequest, context: { readonly signal: AbortSignal }) {
        underWay++
        try {
          yield* executor.search({ ...request, ...variant }, context)
        } finally {
          underWay--
        }
      }
    },
  })
}

for (const strategy of ['deep', 'text', 'write'] as const) {
  replyContract(`claude, ${strategy},`, {
    searches: strategy === 'deep',
    timeoutMs: 30_000,
    create: async () => {
      const { executor, sandbox, ...fixture } = await startClaude({ findBinary: () => binary })
      const context = { signal: new AbortController().signal }
      return {
        sandbox,
        reply: (request) =>
          strategy === 'write'
            ? executor.write(requestFor('seals', { ...strategies.standard, ...request }), pages, context)
            : executor.search(requestFor('seals', { ...strategies[strategy], ...request }), context),
        dispose: async () => fixture[Symbol.asyncDispose](),
      }
    },
  })
}

const pages: readonly SearchResult[] = [{ title: 'Seals', url: 'https://one.example/seals', source: 'searxng' }]
