import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { startClaude, strategies } from '../../../support/claude-executor.ts'
import { quickClaude } from '../../../support/quick-claude.ts'

// With the real CLI, which by itself asks the model once more after a refusal.

const claude = await startClaude({ findBinary: quickClaude })
const { sandbox } = claude
beforeEach(() => sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())

const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const tools = [{ name: 'look', parameters: {} }]

describe('a refusal', () => {
  test.each([
    ['an answer over a list', strategies.standard],
    ['an answer by an agent', strategies.deep],
    ['a text', strategies.text],
    ['a text that must be JSON', { ...strategies.text, schema }],
    ['a text that must call a function', { ...strategies.text, tools, toolChoice: 'required' }],
    ['a text that ends at a stop sequence', { ...strategies.text, stop: ['nowhere'] }],
  ] as const)('ends %s, and no second call is paid', async (_, request) => {
    sandbox.configure({ scenario: [{ kind: 'write', scenario: 'refusal', times: 1 }] })
    const { reason, text } = await claude.search('harbour seals', request)
    expect(reason).toBe('refusal')
    expect(text).not.toContain('harbour seals')
    expect(sandbox.stats().callsByKind.write).toBe(1)
    // The CLI writes the next text as usual.
    const next = await claude.search('harbour seals', strategies.text)
    expect([next.reason, next.text]).toEqual(['stop', 'Sandbox answer: “harbour seals”.'])
  })
})
