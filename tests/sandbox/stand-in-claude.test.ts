import { afterAll, describe, expect, test } from 'bun:test'
import type { Scenario } from '@csp/sandbox/scenario'
import type { SearchRequest } from '../../src/domain/search.ts'
import { startClaude, strategies } from '../support/claude-executor.ts'
import { quickClaude, standInClaude } from '../support/quick-claude.ts'

// What stands in for the CLI in tests of csp does what the real one does: the same calls of the API, the same answer.

const both = await Promise.all(
  [quickClaude, standInClaude].map((findBinary) => startClaude({ findBinary, sandbox: { now } })),
)
afterAll(() => Promise.all(both.map((claude) => claude[Symbol.asyncDispose]())))

const tools = [
  { name: 'look_up', description: 'Looks up.', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
]
const { results, standard, deep, text } = strategies
const refusals = ['error-401', 'error-429', 'error-429-week', 'error-429-bare', 'error-500', 'error-529'] as const
/** Each kind of search, and what the sandbox does to it in a way of its own. */
const rows = [
  ['of results', results, ['ok', 'empty', 'no-summary', 'no-search', 'search-unavailable', 'cut', ...refusals]],
  ['of sites', { ...results, filters: { includeDomains: ['example.org'] } }, ['ok']],
  ['standard', standard, ['ok', 'empty', 'no-summary', 'cut', 'error-429']],
  ['deep', deep, ['ok', 'empty', 'no-search', 'preamble', 'search-unavailable', 'cut', ...refusals]],
  ['with tools', { ...deep, tools }, ['ok', 'no-search', 'use-tool', 'use-two-tools', 'cut', 'error-429']],
  ['text', text, ['ok', 'cut', 'error-403', ...refusals]],
] as const satisfies readonly (readonly [string, Partial<SearchRequest>, readonly Scenario[]])[]

describe.each(rows)('a search %s', (_, request, scenarios) => {
  test.each([...scenarios])('on the sandbox %s', async (scenario) => {
    const [real, standIn] = await Promise.all(
      both.map(async ({ sandbox, search }) => {
        sandbox.reset()
        sandbox.configure({ scenario })
        const outcome = await search('seals', request).then(
          ({ usage, ...answer }) => answer,
          ({ code, message }) => ({ code, message }),
        )
        // The sandbox counts its ids on from test to test.
        const said = JSON.stringify(outcome).replace(/sandbox\d+/g, '')
        return { outcome: JSON.parse(said), calls: sandbox.stats().callsByKind }
      }),
    )
    expect(standIn).toEqual(real)
  })
})

function now(): Date {
  return new Date('2026-03-15T12:00:00Z')
}
