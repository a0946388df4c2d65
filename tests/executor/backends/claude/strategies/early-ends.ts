import { describe, expect, test } from 'bun:test'
import type { ModelCallKind } from '@csp/sandbox/sandbox'
import type { Scenario } from '@csp/sandbox/scenario'
import { collect } from '../../../../../src/domain/answer.ts'
import { type StrategyName, strategies } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { requestFor } from '../../../../support/fake-executor.ts'
import { claude } from './claude.ts'

// Replies that end too early: the real CLI asks some of them again, or has the model go on.

const { sandbox } = claude

const search = (strategy: StrategyName) => claude.search('harbour seals', strategies[strategy])
const play = (scenario: Scenario, kind?: ModelCallKind) => sandbox.configure({ scenario: [{ scenario, kind }] })
const kindsOf = () => sandbox.requests().map(({ kind }) => kind)

describe('a model that stops early', () => {
  test.each(['standard', 'deep', 'text'] as const)(
    'by refusal, with the strategy %s, is reported as such',
    async (strategy) => {
      play('refusal', 'write')
      const { reason, text } = await search(strategy)
      expect(reason).toBe('refusal')
      expect(text).not.toContain('anthropic.com')
      expect((await search('results')).searches[0]?.results).toHaveLength(8)
    },
  )

  test.each(['standard', 'deep', 'text'] as const)(
    'by length, with the strategy %s, is reported as such',
    async (strategy) => {
      play('max-tokens', 'write')
      const { reason, text } = await search(strategy)
      expect(reason).toBe('length')
      expect(text).toStartWith('Sandbox answer')
      expect(text).not.toContain('API Error')
    },
  )
})

describe('a connection that breaks', () => {
  test('in a search leaves the pages that had arrived', async () => {
    play('cut', 'search')
    for (const strategy of ['results', 'standard', 'deep'] as const) {
      expect((await search(strategy)).searches[0]?.results).toHaveLength(8)
    }
  })

  describe.each(['cut', 'cut-in-text', 'cut-after-text'] as const)('as %s', (scenario) => {
    const written = ['standard', 'deep', 'text'] as const
    const breaks = (times?: number) => sandbox.configure({ scenario: [{ scenario, kind: 'write', times }] })
    const ask = (strategy: StrategyName, isWhole: boolean) => {
      const { signal } = new AbortController()
      return collect(claude.executor.search(requestFor('harbour seals', strategies[strategy]), { signal, isWhole }))
    }

    test.each(written)('while %s writes, once, costs a second call where nothing has been sent', async (strategy) => {
      const { text } = await search(strategy)
      sandbox.reset()
      breaks(1)
      // A model that is asked to go on may do that badly: where searches would have to be repeated, the answer fails.
      if (strategy === 'deep' && scenario === 'cut-after-text') {
        expect((await failureOf(ask(strategy, true))).code).toBe('unavailable')
        return
      }
      const answer = await ask(strategy, true)
      expect([answer.reason, answer.text]).toEqual(['stop', text])
      expect(kindsOf().filter((kind) => kind === 'search')).toHaveLength(strategy === 'text' ? 0 : 1)
    })

    test('while deep writes fails an answer of which something has been sent', async () => {
      breaks(1)
      expect((await failureOf(ask('deep', false))).code).toBe('unavailable')
      expect((await ask('deep', false)).reason).toBe('stop')
    })

    test('each time while standard writes fails the answer', async () => {
      breaks()
      expect((await failureOf(ask('standard', true))).code).toBe('unavailable')
      expect((await failureOf(search('standard'))).code).toBe('unavailable')
      sandbox.configure({ scenario: 'ok' })
      expect((await search('standard')).reason).toBe('stop')
    })

    test('in the search of a fast answer has it written, from the pages that had arrived', async () => {
      expect((await search('fast')).text).not.toContain('∎')
      sandbox.reset()
      sandbox.configure({ scenario: [{ scenario, kind: 'search' }] })
      const { text, citations } = await search('fast')
      expect(kindsOf()).toEqual(['search', 'write'])
      expect(text).toStartWith('Sandbox answer: all of this is invented.')
      expect(citations.length).toBeGreaterThan(1)
    })
  })
})
