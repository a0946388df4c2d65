import { describe, expect, test } from 'bun:test'
import { SourceIndex } from '@csp/grounding/source-index'
import { AddressNames } from '../../../../src/executor/answer/json/addresses.ts'
import { findJson, groundJson, JsonAnswer } from '../../../../src/executor/answer/json/answer.ts'
import { JsonShape } from '../../../../src/executor/answer/json/shape.ts'

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

  test('reads no fence that is not closed', () => {
    expect([...findJson('```json\n[1]')]).toEqual([[1]])
  })

  test('ends after 100 brackets that open nothing', () => {
    expect([...findJson(`${'{'.repeat(99)}{"a":1}`)]).toEqual([{ a: 1 }])
    expect([...findJson(`${'{'.repeat(100)}{"a":1}`)]).toEqual([])
  })

  test('reads a long text four times at most', () => {
    const length = 260_000
    const text = (starts: readonly number[]) => {
      const signs = new Array<string>(length).fill(' ')
      for (const at of starts) signs[at] = '{'
      return `${signs.join('').slice(0, -7)}{"a":1}`
    }
    // Each is read to the end of the text: five of them make four texts together, without what is before them.
    const starts = [0, 50_000, 60_000, 70_000]
    expect([...findJson(text([...starts, length - 179_999]))]).toEqual([{ a: 1 }])
    expect([...findJson(text([...starts, length - 180_000]))]).toEqual([])
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
    ['a URL with twenty signs behind it', `https://b.example${')'.repeat(20)}`, `https://b.example/${')'.repeat(20)}`],
    ['an address of a source in entities', '[x](https&#58;//b.example/)', '[x](https&#58;//b.example/)'],
    ['an address among spaces', { url: ' http://b.example ' }, { url: 'https://b.example/' }],
    ['a name without an address', { url: ' \n', links: [] }, { url: ' \n', links: [] }],
    ['joiners', 'a@\u2060b.example', 'a@b.example'],
    ['numbers and nothing', [1, null, true], [1, null, true]],
    ['keys', { 'a [1]': { b: ['see [2]'] } }, { a: { b: ['see'] } }],
  ] as const)('accepts %s', (_, value, expected) => {
    expect(groundJson(value, sources)).toEqual({ value: expected, problems: [] })
  })

  test.each([
    ['https://invented.example/x', 'https://invented.example/x'],
    ['https://invented.example/x or so', 'https://invented.example/x'],
    ['www.invented.example', 'www.invented.example'],
    ['ftp://b.example/', 'ftp://b.example/'],
    ['see https://b.example/other.', 'https://b.example/other.'],
    ['[x](https&#58;//evil.example/)', 'https&#58;//evil.example/'],
    [`https://b.example${')'.repeat(21)}`, `https://b.example${')'.repeat(21)}`],
    [`https://evil.example/${'x'.repeat(400)}`, `https://evil.example/${'x'.repeat(279)}`],
  ])('reports %s as a problem', (text, named) => {
    const { value, problems } = groundJson({ deep: [text] }, sources)
    expect(problems).toEqual([`No source has this URL: ${named}`])
    // As it was: the schema is checked against what the model wrote.
    expect(value).toEqual({ deep: [text] })
  })

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
    ...[{ website: 'https://invented.example' }, { href: 'see below [1]' }],
  ])('reports %j as a problem, since its name says that it is an address', (value) => {
    const grounded = groundJson({ deep: [value] }, sources)
    expect(grounded.problems).toHaveLength(1)
    expect(grounded.value).toEqual({ deep: [value] })
  })

  test.each([
    [(inner: unknown) => [inner], 199],
    [(inner: unknown) => ({ a: inner }), 199],
  ])('accepts 200 levels of lists or objects, and no more', (around, levels) => {
    let value: unknown = [1]
    for (let level = 0; level < levels; level++) value = around(value)
    expect(groundJson(value, sources)).toEqual({ value, problems: [] })
    const deeper = groundJson(around(value), sources)
    expect(deeper.problems).toEqual(['It has more than 200 levels.'])
    expect(JSON.stringify(deeper.value)).toContain('null')
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

describe('the names of addresses', () => {
  const address = { type: 'string', format: 'uri' }

  test.each([
    ['its format', address, true],
    ['another format', { type: 'string', format: 'date' }, false],
    ['no format', { type: 'string', minLength: 1, const: null }, false],
    ['items', { type: 'array', items: { format: 'iri-reference' } }, true],
    ['one of several schemas', { anyOf: [{ type: 'null' }, address] }, true],
    ['a reference', { $ref: '#/$defs/page' }, true],
    ['a reference beside it', { $ref: '#/$defs/name', format: 'url' }, true],
    ['a reference whose path has signs', { $ref: '#/$defs/a~1b~0c%20d' }, true],
    ['a reference to other words', { $ref: '#/$defs/name' }, false],
    ['a reference to itself', { $ref: '#/$defs/node' }, false],
    ['a reference to another document', { $ref: 'https://a.example/schema' }, false],
    ['a reference to nothing, as a value', { default: { $ref: '#/nowhere/at/all' } }, false],
    ['a value that is like a reference', { default: { $ref: 5 }, description: '#/$defs/page' }, false],
    ['values that are like properties', { default: { properties: null, format: 5 } }, false],
    ['properties within it', { properties: { page: address } }, false],
    ['definitions within it', { $defs: { page: address }, definitions: { page: address } }, false],
  ] as const)('say by %s whether a string is one', (_, schema, expected) => {
    const $defs = {
      page: address,
      name: { type: 'string' },
      'a/b~c d': address,
      node: { items: { $ref: '#/$defs/node' } },
    }
    const names = new AddressNames({ properties: { first: schema, second: schema }, $defs })
    expect([names.has('first'), names.has('second'), names.ofRoot]).toEqual([expected, expected, false])
    expect(new AddressNames({ ...schema, $defs }).ofRoot).toBe(expected)
  })
})

describe('an answer in JSON', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' }, url: { type: 'string' } }, required: ['a'] }
  const answerOf = (text: string, claimsSources = true) => {
    const answer = new JsonAnswer(new JsonShape(schema), claimsSources)
    answer.addSources([{ url: 'https://b.example/', title: 'B', source: 'x' }])
    answer.push(text)
    return answer
  }

  test('is the first value that fits, as one text', () => {
    const answer = answerOf('So: {"a":"x"} or {"a": 1, "url": "http://b.example"} or {"a":2}')
    expect(answer.problems()).toEqual([])
    expect([...answer.end()]).toEqual([{ type: 'text-delta', text: '{"a":1,"url":"https://b.example/"}' }])
  })

  test('is none where no value fits; the problems are those of the largest, or of the first as large', () => {
    const problemsOf = (text: string) => answerOf(text).problems()
    expect(problemsOf('{"a":"x"} {"b":12345} {"a":"y"}')).toEqual([expect.stringContaining('required property "a"')])
    expect(problemsOf('{"a":"x"} {"b":123}')).toEqual([expect.stringContaining('At a: ')])
    expect(problemsOf('none')).toEqual(['There is no whole JSON value in it.'])
    expect(problemsOf('{"a":"x","url":"https://evil.example"}')).toEqual([
      'No source has this URL: https://evil.example',
      expect.stringContaining('At a: '),
    ])
    expect([...answerOf('{"a":"x"}').end()]).toEqual([])
  })

  test('is read once more when text follows, and claims no source where none is searched for', () => {
    const answer = answerOf('{"a":', false)
    expect(answer.problems()).toHaveLength(1)
    expect(answer.push('1,"url":"https://evil.example"}')).toEqual([])
    expect([...answer.end()]).toEqual([{ type: 'text-delta', text: '{"a":1,"url":"https://evil.example"}' }])
  })
})
