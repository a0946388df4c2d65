import { describe, expect, test } from 'bun:test'
import type { ScenarioRule } from '../../../../../packages/sandbox/test/support/recorded-sandbox.ts'
import { sourcesOf } from '../../../../../src/domain/answer.ts'
import type { JsonSchema } from '../../../../../src/domain/search.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { claude } from './stand-in.ts'

const { sandbox, search } = claude

const schema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    answer: { type: 'string', maxLength: 200 },
    page: { $ref: '#/definitions/page' },
    '@type': { const: 'Report' },
    score: { type: 'integer', minimum: 3 },
  },
  required: ['answer', 'page', '@type', 'score'],
  additionalProperties: false,
  definitions: { page: { type: 'object', properties: { url: { type: 'string', format: 'uri' } }, required: ['url'] } },
}
const anySchema: JsonSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }

const callsOf = {
  fast: { search: 1, decide: 0, write: 1 },
  standard: { search: 1, decide: 0, write: 1 },
  deep: { search: 1, decide: 1, write: 1 },
  'follow-up': { search: 1, decide: 1, write: 1 },
} as const
const strategyNames = ['fast', 'standard', 'deep', 'follow-up'] as const

/** The writing call does this once, and then what it should. */
const once = (scenario: ScenarioRule['scenario']): readonly ScenarioRule[] => [{ kind: 'write', scenario, times: 1 }]

describe('JSON that fits its schema', () => {
  test.each(strategyNames)('is returned with the strategy %s', async (strategy) => {
    const answer = await search('harbour seals', { ...strategies[strategy], schema })
    expect(JSON.parse(answer.text)).toEqual({
      '@type': 'Report',
      answer: 'Sandbox answer: “harbour seals”.',
      page: { url: sourcesOf(answer.searches)[0]?.url ?? '' },
      score: 3,
    })
    expect(answer).toMatchObject({ citations: [], reason: 'stop', usage: { searches: 1 } })
    expect(sandbox.stats().callsByKind).toEqual({ answer: 0, ...callsOf[strategy] })
  })

  test('is returned for a text request and claims no source', async () => {
    sandbox.configure({ scenario: 'invented-url' })
    const answer = await search('harbour seals', { ...strategies.text, schema: anySchema })
    expect(JSON.parse(answer.text).answer).toContain('https://unfound.example/bare')
    expect(sandbox.stats().calls).toBe(1)
  })

  test('is returned when nothing was found', async () => {
    sandbox.configure({ scenario: 'empty' })
    const answer = await search('harbour seals', { ...strategies.standard, schema: anySchema })
    expect(JSON.parse(answer.text)).toEqual({ answer: 'Sandbox answer: “harbour seals”.' })
  })
})

describe('JSON that does not fit is requested once more in the same session', () => {
  test.each([...strategyNames, 'text'] as const)('with the strategy %s', async (strategy) => {
    sandbox.configure({ scenario: once('non-compliant') })
    const answer = await search('harbour seals', { ...strategies[strategy], schema: anySchema })
    expect(JSON.parse(answer.text).answer).toStartWith('Sandbox answer: ')
    const [first, second] = sandbox
      .requests()
      .filter(({ kind }) => kind === 'write' || strategy === 'text')
      .slice(-2)
    const told = JSON.stringify(second?.body.messages)
    expect(told).toContain('<problems>')
    expect(told.length).toBeGreaterThan(JSON.stringify(first?.body.messages).length)
    // Of both turns.
    expect(answer.usage.inputTokens).toBeGreaterThan(told.length / 4)
  })

  test('when it has a URL that no source has', async () => {
    sandbox.configure({ scenario: once('invented-url') })
    const answer = await search('harbour seals', { ...strategies.standard, schema: anySchema })
    expect(answer.text).not.toContain('http')
    expect(JSON.stringify(sandbox.requests().at(-1)?.body.messages)).toContain(
      'No source has this URL: https://unfound',
    )
  })

  test.each(['standard', 'deep', 'text'] as const)('and %s fails when that does not fit either', async (strategy) => {
    sandbox.configure({ scenario: 'non-compliant' })
    const error = await failureOf(search('harbour seals', { ...strategies[strategy], schema: anySchema }))
    expect(error).toMatchObject({
      code: 'failed',
      message: expect.stringContaining('no JSON that fits the schema in two attempts'),
    })
    expect(sandbox.stats().callsByKind.write).toBeGreaterThanOrEqual(2)
  })
})

test('a refusal is reported as one, and JSON is not requested again', async () => {
  sandbox.configure({ scenario: [{ kind: 'write', scenario: 'refusal' }] })
  const answer = await search('harbour seals', { ...strategies.standard, schema: anySchema })
  expect(answer).toMatchObject({ reason: 'refusal', text: 'Sandbox answer: it was told to refuse.' })
  expect(sandbox.stats().callsByKind.write).toBe(1)
})

test('a call of a tool needs no JSON', async () => {
  sandbox.configure({ scenario: 'use-tool' })
  const tools = [{ name: 'look', parameters: {} }]
  const answer = await search('harbour seals', { ...strategies.deep, schema: anySchema, tools })
  expect(answer).toMatchObject({ reason: 'tool-calls', text: '', toolCalls: [{ name: 'look', arguments: '{}' }] })
})

describe('a schema that is not valid costs no model call', () => {
  test.each([
    ['an unknown type', { type: 'strin' }, 'type'],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/b' } } }, '#/$defs/b'],
    ['one that holds nothing but itself', { $ref: '#' }, 'applied'],
  ] as const)('because of %s', async (_, bad: JsonSchema, names) => {
    const error = await failureOf(search('harbour seals', { ...strategies.standard, schema: bad }))
    expect(error.code).toBe('invalid-request')
    expect(error.message).toStartWith('The JSON Schema cannot be used: ')
    expect(error.message).toContain(names)
    expect(sandbox.stats().calls).toBe(0)
  })
})
