import { describe, expect, test } from 'bun:test'
import { strategies } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { claude } from './stand-in.ts'

// What csp does about what the API and the CLI's search tool may say; tests/sandbox/cli-errors.json has the words.

const { sandbox } = claude

describe('an account that cannot pay', () => {
  const remedies = {
    'error-third-party': /extra usage of the account, not to its plan.*claude\.ai\/settings\/usage/,
    'error-extra-usage': /extra usage of this Claude account is used up.*claude\.ai\/settings\/usage/,
    'error-credit-balance': /credit balance.*platform\.claude\.com\/settings\/billing/,
  } as const

  describe.each(['results', 'deep', 'text'] as const)('with the strategy %s', (strategy) => {
    test.each(Object.entries(remedies))('gets an error for %s that says what to do', async (scenario, remedy) => {
      sandbox.configure({ scenario: scenario as keyof typeof remedies }) // of Object.entries
      const failure = await failureOf(claude.search('seals', strategies[strategy]))
      expect(failure.code).toBe('rate-limited')
      expect(failure.message).toMatch(remedy)
      expect(failure.message).toContain('--backends')
    })
  })
})

describe('a search call that writes no summary', () => {
  test('returns rows without excerpts', async () => {
    sandbox.configure({ scenario: 'no-summary' })
    const { searches } = await claude.search('seals')
    expect(searches[0]?.results).toHaveLength(8)
  })

  test('gets its fast answer written from the pages', async () => {
    sandbox.configure({ scenario: 'no-summary' })
    const { text, searches, citations } = await claude.search('seals', strategies.fast)
    expect(searches[0]?.results).toHaveLength(8)
    expect(text).not.toContain('no pages')
    expect(citations.length).toBeGreaterThan(0)
    expect(sandbox.requests().map(({ kind }) => kind)).toEqual(['search', 'write'])
  })
})
