import { describe, expect, test } from 'bun:test'
import { sourcesOf } from '../../../../../src/domain/answer.ts'
import type { JsonSchema } from '../../../../../src/domain/search.ts'
import { SourceIndex } from '../../../../../src/executor/answer/grounding/source-index.ts'
import { findJson, groundJson } from '../../../../../src/executor/answer/json/answer.ts'
import { JsonShape } from '../../../../../src/executor/answer/json/shape.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import type { ScenarioRule } from '../../../../support/recorded-sandbox.ts'
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
    expect(sandbox.stats().callsByKind).toEqual(callsOf[strategy])
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
  expect(answer).toMatchObject({ reason: 'refusal', text: '' })
  const { calls } = sandbox.stats()
  sandbox.reset()
  sandbox.configure({ scenario: [{ kind: 'write', scenario: 'refusal' }] })
  await search('harbour seals', strategies.standard)
  // The CLI itself asks a second time.
  expect(calls).toBe(sandbox.stats().calls)
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
    ['a type deep inside', { properties: { a: { items: { type: 5 } } } }, 'properties/a/items/type'],
    ['required that is no list', { required: 'a' }, 'required'],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/b' } } }, '#/$defs/b'],
    ['one that holds nothing but itself', { $ref: '#' }, 'applied'],
  ] as const)('because of %s', async (_, bad: JsonSchema, names) => {
    const error = await failureOf(search('harbour seals', { ...strategies.standard, schema: bad }))
    expect(error.code).toBe('invalid-request')
    expect(error.message).toStartWith('The JSON Schema cannot be used: ')
    expect(error.message).toContain(names)
    expect(sandbox.stats().calls).toBe(0)
  })

  test('and a valid schema is not changed', () => {
    const frozen = Object.freeze({
      type: 'object',
      properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
    })
    expect(new JsonShape(frozen).problems({ a: 1 })).toEqual([expect.stringContaining('At a: ')])
  })
})

describe('the search for JSON in a text', () => {
  test.each([
    ['{"a":1}', [{ a: 1 }]],
    ['"text"', ['text']],
    ['```json\n{"a":"```x"}\n```', [{ a: '```x' }]],
    ['Here it is:\n```\n[1]\n```\nBye.', [[1], [1]]],
    ['So: {"a":"} \\" {"} and [2] {broken', [{ a: '} " {' }, [2]]],
    ['{"a": {"b": [1, 2]}} trailing }', [{ a: { b: [1, 2] } }]],
    ['{not json {"a":1}', [{ a: 1 }]],
    ['nothing', []],
  ] as const)('finds the values in %s', (text, values) => {
    expect([...findJson(text)]).toEqual([...values] as unknown[])
  })

  test('does not read a text of open brackets to its end from each of them', () => {
    expect([...findJson(`${'{'.repeat(500_000)}`)]).toEqual([])
  })
})

describe('the grounding of JSON', () => {
  const sources = new SourceIndex()
  sources.add([
    { url: 'https://www.a.example/x_(y)?b=1', title: 'A' },
    { url: 'https://b.example/', title: 'B' },
  ])

  test.each([
    [
      'a source’s URL in another spelling',
      'http://a.example/x_(y)?b=1&utm_source=q',
      'https://www.a.example/x_(y)?b=1',
    ],
    ['a URL with its sentence’s punctuation', '(see https://b.example).', '(see https://b.example/).'],
    [
      'markers behind statements',
      'It is so [1]. And so.[2][1] Not word[1], not [3].',
      'It is so. And so. Not word[1], not [3].',
    ],
    ['joiners', 'a@\u2060b.example', 'a@b.example'],
    ['numbers and nothing', [1, null, true], [1, null, true]],
    ['keys', { 'a [1]': { b: ['see [2]'] } }, { a: { b: ['see'] } }],
  ] as const)('accepts %s', (_, value, expected) => {
    expect(groundJson(value, sources)).toEqual({ value: expected, problems: [] })
  })

  test.each(['https://invented.example/x', 'www.invented.example', 'ftp://b.example/', 'see https://b.example/other.'])(
    'reports %s as a problem',
    (text) => {
      const { value, problems } = groundJson({ deep: [text] }, sources)
      expect(problems).toHaveLength(1)
      // As it was: the schema is checked against what the model wrote.
      expect(value).toEqual({ deep: [text] })
    },
  )

  test.each([
    ...['javascript:alert(1)', ' java\nscript:alert(1)', '//evil.example/x', '\\\\evil.example', '/\\evil.example/x'],
    ...[
      'steam://run/1',
      'data:text/html,x',
      'mailto:a@b.example',
      'See [x](javascript:alert(1)).',
      '![x](//evil.example/p)',
    ],
  ])('reports %j as a problem, whatever its name', (text) => {
    expect(groundJson({ answer: text }, sources).problems).toHaveLength(1)
  })

  test.each([
    ...[{ url: 'evil.example/x' }, { imageUrl: 'x' }, { links: ['evil.example'] }, { source_link: '/x' }],
    ...[{ website: 'https://invented.example' }, { href: 'see below' }],
  ])('reports %j as a problem, since its name says that it is an address', (value) => {
    expect(groundJson({ deep: [value] }, sources).problems).toHaveLength(1)
  })

  test('writes an address that the schema declares as its source spells it', () => {
    const address = { type: 'string', format: 'uri' }
    const { addressNames } = new JsonShape({
      $defs: {
        page: address,
        node: { properties: { next: { $ref: '#/$defs/node' }, page: { $ref: '#/$defs/page' } } },
      },
      properties: { seen: { type: 'array', items: address }, node: { $ref: '#/$defs/node' }, name: { type: 'string' } },
    })
    const problems = (value: unknown) => groundJson(value, sources, addressNames).problems.length
    expect(
      problems({ seen: ['evil.example/x', 'javascript:1'], node: { page: 'evil.example' }, name: 'evil.example' }),
    ).toBe(3)
    const { value } = groundJson({ seen: ['b.example'], node: { page: 'http://b.example' } }, sources, addressNames)
    expect(value).toEqual({ seen: ['https://b.example/'], node: { page: 'https://b.example/' } })
    expect(groundJson(['x'], sources, new JsonShape({ items: address }).addressNames).problems).toHaveLength(1)
  })

  test('accepts words with a colon, names and null, which are not addresses', () => {
    const words = [
      'NASDAQ:GOOG',
      'std::vector',
      'Re:Zero',
      'JavaScript: The Good Parts',
      '12:30',
      'C:\\x',
      'a // b',
      'b.example',
    ]
    const value = { words, url: null, link: '', sourceName: 'Reuters', curl: 'a tool', hyperlinkText: 'x' }
    expect(groundJson(value, sources)).toEqual({ value, problems: [] })
  })

  test('accepts every URL when there are no sources', () => {
    expect(groundJson('https://x.example [1]', undefined)).toEqual({ value: 'https://x.example [1]', problems: [] })
  })
})
