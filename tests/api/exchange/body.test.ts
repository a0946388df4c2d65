import { describe, expect, test } from 'bun:test'
import { bounds, Sent, saysForm } from '../../../src/api/exchange/body.ts'
import { Refusal } from '../../../src/api/exchange/refusal.ts'

const address = 'http://csp.example/search'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** What a request with this body sent, as an endpoint reads it. */
function sent(body: BodyInit | null | undefined, headers: HeadersInit = {}, query = ''): Sent {
  return new Sent(new Request(`${address}${query}`, { method: 'POST', body: body ?? null, headers }))
}

/** The message and the fields of a refusal. */
async function refusalOf(reading: Promise<unknown>): Promise<readonly unknown[]> {
  const error = await reading.catch((error: unknown) => error)
  return error instanceof Refusal
    ? [error.code, error.message, error.issues.map(({ path }) => path.join('.'))]
    : [error]
}

function streamOf(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
}

describe('the input of a request', () => {
  test.each([
    ['JSON', '{"a":1}', {}, '', { a: 1 }],
    ['JSON in pieces', streamOf('{"a"', ':1}'), {}, '', { a: 1 }],
    ['JSON that is no object', '5', {}, '', 5],
    ['JSON with the content type of a form, as curl sends it', ' [{"a":1}]', form, '', [{ a: 1 }]],
    ['JSON of one value, which may be a form', '5', form, '', { 5: '' }],
    ['a form of one name', 'null', form, '', { null: '' }],
    ['a form', 'a=1&b=2&a=3', form, '', { a: ['1', '3'], b: '2' }],
    ['a form, with fields of the query string that it lacks', 'a=1', form, '?a=2&b=3', { a: '1', b: '3' }],
    ['the query string without a body', null, {}, '?a=1&b=2', { a: '1', b: '2' }],
    ['JSON, whose query string does not count', '{"a":1}', {}, '?b=2', { a: 1 }],
  ])('is read from %s', async (_, body, headers, query, input) => {
    expect(await sent(body, headers, query).input(100)).toEqual(input)
  })

  test('of a GET is its query string', async () => {
    const get = (query: string) => new Sent(new Request(`${address}${query}`)).input(1)
    expect([await get('?a=1'), await get('')]).toEqual([{ a: '1' }, {}])
  })

  test.each([
    ['no body', null, {}, 'The request needs a JSON body.'],
    ['an empty form', '', form, 'The request needs a JSON body.'],
    ['no JSON', '{"a":', {}, 'The body is not valid JSON.'],
    ['JSON of broken letters', new Uint8Array([0x22, 0xff, 0x22]), {}, 'The body is not valid JSON.'],
  ])('is refused for %s', async (_, body, headers, message) => {
    expect(await refusalOf(sent(body, headers).input(100))).toEqual(['invalid-request', message, ['']])
  })

  test('is refused for a packed body as one that could be sent again unpacked', async () => {
    const headers = { 'content-encoding': ` ZSTD${'x'.repeat(20)}` }
    const message = 'Content-Encoding zstdxxxxxxxxxxxxxxxx is not supported; send the body unencoded.'
    expect(await refusalOf(sent('{}', headers).input(100))).toEqual(['encoded-body', message, []])
  })

  test('may say that it is not packed', async () => {
    for (const encoding of ['', ' Identity '])
      expect(await sent('{}', { 'content-encoding': encoding }).input(9)).toEqual({})
  })

  test('has as many bytes as it may have, whether its length is declared or not', async () => {
    const refusal = ['too-large', 'The body is larger than 7 bytes.', []]
    for (const body of ['{"a":12}', streamOf('{"a":12', '}')])
      expect(await refusalOf(sent(body).input(7))).toEqual(refusal)
    for (const body of ['{"a":1}', streamOf('{"a":1', '}')]) expect(await sent(body).input(7)).toEqual({ a: 1 })
    expect(await refusalOf(sent(streamOf('{}'), { 'content-length': '8' }).input(7))).toEqual(refusal)
    expect(await sent('{"a":1}', { 'content-length': '7' }).input(7)).toEqual({ a: 1 })
  })

  test('is read once, and each reader has a limit of its own', async () => {
    const one = sent('{"a":1}')
    expect(await one.json(10)).toEqual({ a: 1 })
    expect(await one.input(7)).toEqual({ a: 1 })
    expect((await refusalOf(one.input(6)))[0]).toBe('too-large')
  })

  test('may be changed for its later readers, where it is an object', async () => {
    const change = (body: BodyInit) => {
      const one = sent(body)
      one.change((fields) => ({ ...fields, model: 'm' }))
      return Promise.all([one.json(10), one.input(10)])
    }
    expect(await change('{"a":1}')).toEqual([
      { a: 1, model: 'm' },
      { a: 1, model: 'm' },
    ])
    expect(await change('[1]')).toEqual([[1], [1]])
  })
})

test.each([
  ['a=1', form, '', true],
  ['a=1', { 'content-type': ' Application/X-WWW-form-urlencoded; charset=utf-8' }, '', true],
  ['a=1', {}, '', false],
  ['\n{"a":1', form, '', false],
  ['[1]', form, '', false],
  ['', form, '', false],
  ['', {}, '?a=1', true],
  ['{"a":1}', {}, '?a=1', false],
])('the body %j with the headers %j and the query %j is a form: %p', async (body, headers, query, isForm) => {
  expect(await sent(body, headers, query).isForm(100)).toBe(isForm)
})

test('a content type that only names a form is none', () => {
  const says = (type: string) => saysForm(new Request(address, { headers: { 'content-type': type } }))
  expect(['text/plain', 'x application/x-www-form-urlencoded', 'application/x-www-form-urlencodedx'].map(says)).toEqual(
    [...[false, false, false]],
  )
})

describe('the bounds of a request', () => {
  const read = (value: unknown) => refusalOf(sent(JSON.stringify(value)).input(1e7))
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
  const list = (length: number) => Array.from({ length }, () => 0)

  test('hold for its depth, and the error names where it begins', async () => {
    expect(await read({ x: [nested(98)] })).toEqual([{ x: [nested(98)] }])
    const message = 'x[0].a: Input should be at most 100 levels deep.'
    expect(await read({ x: [nested(99)] })).toEqual(['invalid-request', message, ['x.0.a']])
  })

  test('hold for a list', async () => {
    expect(await read({ x: list(bounds.items) })).toMatchObject([{}])
    const message = 'x: Input should have at most 4096 items.'
    expect(await read({ x: list(bounds.items + 1) })).toEqual(['invalid-request', message, ['x']])
  })

  test('hold for all values', async () => {
    // The lists count as well, and so does the whole.
    const [whole, lists] = [1, 15]
    const values = (count: number) => {
      const left = count - whole - lists
      return Array.from({ length: lists }, (_, at) => list(at < lists - 1 ? 3500 : left - 14 * 3500))
    }
    expect(await read(values(bounds.values))).toHaveLength(1)
    expect(await read(values(bounds.values + 1))).toEqual([
      ...['invalid-request', 'Input should hold at most 50000 values.', ['']],
    ])
  })

  test('hold for the names of a form', async () => {
    const names = (first: string, count: number) => sent(first.concat('&'.repeat(count - 1)), form).input(1e7)
    expect(await names('a', bounds.values)).toEqual({ a: '' })
    for (const first of ['a', ''])
      expect((await refusalOf(names(first, bounds.values + 1)))[1]).toBe('Input should hold at most 50000 values.')
  })

  test('leave no way to the prototype of an object', async () => {
    expect(await refusalOf(sent('{"a":[{"__proto__":{}}]}').input(100))).toEqual([
      ...['invalid-request', 'a[0].__proto__: Input should have another name.', ['a.0.__proto__']],
    ])
  })
})
