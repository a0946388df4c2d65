import { describe, expect, test } from 'bun:test'
import type { LabelledClaim } from '../../../../src/eval/labelled-claims.ts'
import { evalClaims } from '../../../../src/runtime/cli/eval/eval-claims.ts'
import { fails, fakeExecutor, plays, type Script } from '../../../support/fake-executor.ts'
import { testShell } from '../../test-shell.ts'

const claims: readonly LabelledClaim[] = Array.from({ length: 21 }, () => ({
  ...{ claim: 'The bridge was opened in 1932.', label: 'supported' },
  evidence: 'The old bridge was opened in 1932 by the mayor.',
}))

interface Trial {
  readonly script?: Script
  readonly isTerminal?: boolean
  readonly isAgreed?: boolean
  readonly json?: boolean
  readonly signal?: AbortSignal
}

/** Claims that a judge with this script judges, or nobody. */
async function judging({ script, isTerminal, isAgreed = true, json = false, signal }: Trial = {}) {
  const shell = testShell({ environment: {}, directory: '/', isTerminal })
  const asked: string[] = []
  const agrees = async (estimate: string) => {
    asked.push(estimate)
    return isAgreed
  }
  const executor = script && fakeExecutor(script)
  const more = { set: 'own.jsonl', json, signal: signal ?? new AbortController().signal }
  const code = await evalClaims(shell, { claims, executor, agrees, ...more })
  return { code, asked, printed: shell.printed(), complaints: shell.complaints(), calls: executor?.calls.length }
}

describe('claims', () => {
  test('are compared without a question where no model judges', async () => {
    const { code, asked, printed, complaints } = await judging()
    expect([code, asked, complaints]).toEqual([0, [], ''])
    expect(printed).toStartWith('21 claims, 0 model calls, 0 judged.')
    const { judge, set, trials } = JSON.parse((await judging({ json: true })).printed)
    expect([judge, set, trials.length]).toEqual(['none', 'own.jsonl', 21])
  })

  test('are judged only with a yes, twenty in a call', async () => {
    const no = await judging({ script: plays([]), isAgreed: false })
    expect([no.code, no.printed, no.calls]).toEqual([130, '', 0])
    expect(no.asked).toEqual(['21 claims, compared with their pages: no search, 2 model calls of the judge at most.'])
  })

  test('are counted on a terminal while they are compared', async () => {
    const { complaints } = await judging({ isTerminal: true })
    expect(complaints).toBe('\r\x1b[2K20 of 21 compared\r\x1b[2K21 of 21 compared\r\x1b[2K')
  })

  test.each([
    ['rate-limited', 4],
    ['unavailable', 1],
  ] as const)('end where the judge fails: %s', async (failure, expected) => {
    const { code, printed, complaints, calls } = await judging({ script: fails(failure), json: true, isTerminal: true })
    expect([code, complaints, calls]).toEqual([expected, `\r\x1b[2KThe judge failed: ${failure}.\n\r\x1b[2K`, 1])
    expect(JSON.parse(printed)).toMatchObject({ judge: 'claude', calls: 1, trials: [] })
  })

  test('end at Ctrl-C, with what was compared until then', async () => {
    const { code, printed } = await judging({ signal: AbortSignal.abort(), json: true })
    expect([code, JSON.parse(printed).trials.length]).toEqual([130, 20])
  })
})
