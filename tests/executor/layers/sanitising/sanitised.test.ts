import { describe, expect, test } from 'bun:test'
import { InertText } from '@csp/lib/text'
import { anyText } from '@csp/testing/any-text'
import fc from 'fast-check'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { Answer, SearchEvent, SearchRequest, SearchResult } from '../../../../src/domain/search.ts'
import { sanitised } from '../../../../src/executor/layers/sanitising/sanitised.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { done, fakeExecutor, requestFor } from '../../../support/fake-executor.ts'

/** What a terminal acts on, what turns the direction of writing, and what only a machine reads. */
const active = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u

const fine: SearchResult = { title: 'Bees', url: 'https://bees.example/', snippet: 'They hum.', source: 'fake' }

describe('a row of a backend', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'ftp://files.example/',
    '//bees.example/',
    'https://',
    'https://google.com@evil.example/',
    'https://user:word@evil.example/',
    'https://evil.example/\u001b[31m',
    'https://evil.example/\u202ecod.exe',
    'https://evil.example/\nset-cookie: a=b',
    `https://evil.example/${'a'.repeat(2048)}`,
  ])('with the address %j is left out of results, and makes an answer fail', async (url) => {
    expect(await rowsOf([fine, { ...fine, url }])).toEqual([fine])
    const failure = await failureOf(answer([results([fine, { ...fine, url }]), done], { want: 'answer' }))
    expect(failure.code).toBe('failed')
  })

  test('has passages without anything that acts or hides', async () => {
    const passages = ['They \u001b[31mfly\u202e.', 'They\u200b sleep.']
    expect(await rowsOf([{ ...fine, passages }])).toEqual([{ ...fine, passages: ['They fly.', 'They sleep.'] }])
  })

  test('has no more of that where its words come late', async () => {
    const late = [{ ...fine, snippet: 'They \u001b[31mfly\u202e.' }]
    const { snippet: _, ...bare } = fine
    const { searches } = await answer([results([bare]), { ...done, late }], { want: 'answer' })
    expect(sourcesOf(searches)).toMatchObject([{ snippet: 'They fly.' }])
  })

  test.each([
    ['http://bees.example', 'http://bees.example/'],
    ['https://bees.example:8443/a?b=c#d', 'https://bees.example:8443/a?b=c#d'],
    ['https://bees.example/%41(b)', 'https://bees.example/%41(b)'],
    ['https://fa.example/می', 'https://fa.example/%D9%85%DB%8C'],
    ['https://b.example/a b', 'https://b.example/a%20b'],
    ['https://b.example/x //evil2.example/p', 'https://b.example/x%20//evil2.example/p'],
    ['https://b.example/l"><img src=x>', 'https://b.example/l%22%3E%3Cimg%20src=x%3E'],
    ['https://b.example/?q="><b>#<i>', 'https://b.example/?q=%22%3E%3Cb%3E#%3Ci%3E'],
    ['https://B.example\\x', 'https://b.example/x'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    [`https://b.example/${'é'.repeat(1000)}`, undefined],
  ])('with the address %j leaves with %j', async (url, href) => {
    expect((await rowsOf([{ ...fine, url }])).map((row) => row.url)).toEqual(href === undefined ? [] : [href])
    const late = [{ ...fine, url }]
    const { searches } = await answer([results([fine]), { ...done, late }])
    expect(JSON.stringify(searches)).not.toContain('<')
  })

  test.each([
    ['a colour', 'Be\u001b[31mes', 'Bees'],
    ['a link of the terminal', '\u001b]8;;http://evil.example\u0007Bees\u001b]8;;\u0007', 'Bees'],
    ['8-bit controls', 'Be\u009b31mes\u0085', 'Bees'],
    ['lines', ' Bees\r\nand\twasps\u2028', 'Bees and wasps'],
    ['an override', 'Bees \u202egpj.exe\u202c', 'Bees gpj.exe'],
    ['isolates and marks', '\u2066Bees\u2069\u200e\u200f\u061c', 'Bees'],
    ['invisible letters', 'Be\u200be\u2060s\ufeff\u00ad', 'Bees'],
    ['tag characters', 'Bees\u{e0049}\u{e0067}\u{e006e}', 'Bees'],
    ['variation selectors in a row', 'Bees\ufe00\ufe01\u{e0100}\u{e0101}', 'Bees'],
    ['two variation selectors', 'Bees\ufe00\ufe01', 'Bees'],
    ['a half pair', 'Bees \ud83e', 'Bees \ufffd'],
    ['nothing else', '\u001b[2J\u0000', 'bees.example'],
    ['joined emoji and scripts', '👩‍💻 می‌خواهم ❤️ 日本', '👩‍💻 می‌خواهم ❤️ 日本'],
  ])('whose title holds %s keeps the rest of the title', async (_, title, expected) => {
    expect((await rowsOf([{ ...fine, title }]))[0]?.title).toBe(expected)
  })

  test('keeps the lines of its excerpt and loses control characters', async () => {
    const [row] = await rowsOf([{ ...fine, snippet: 'one\r\ntwo\u001b[1m\tthree\u202e\u0000' }])
    expect(row?.snippet).toBe('one\ntwo\tthree')
  })

  test('is whole as long as it has no more than 500 characters', async () => {
    const [fits, longer] = await rowsOf(
      [500, 501].map((length) => ({ ...fine, url: `https://bees.example/${length}`, title: 'x'.repeat(length) })),
    )
    expect([fits?.title, longer?.title]).toEqual(['x'.repeat(500), `${'x'.repeat(499)}…`])
  })

  test('is of bounded length, cut between whole characters', async () => {
    const [row] = await rowsOf([{ ...fine, title: '🐝'.repeat(400), snippet: 'x'.repeat(30_000) }])
    expect(row?.title).toBe(`${'🐝'.repeat(249)}…`)
    expect(row?.snippet?.length).toBe(20_000)
  })

  test.each([
    ['2026-01-02', '2026-01-02'],
    ['yesterday', undefined],
    ['2026-01-02\u001b[31m', undefined],
  ])('with the date %j has the date %p', async (publishedAt, expected) => {
    expect((await rowsOf([{ ...fine, publishedAt }]))[0]?.publishedAt).toBe(expected)
  })

  test('without excerpt and date is unchanged', async () => {
    const row = { title: 'Bees', url: 'https://bees.example/', source: 'fake' }
    expect(await rowsOf([row])).toEqual([row])
  })
})

describe('the text of an answer', () => {
  test('keeps its length, wherever it is cut into pieces', () => {
    const parts = fc.constantFrom(
      '\u001b',
      '[31m',
      '\u202e',
      '\u2066',
      '\u{e0041}',
      '🐝',
      '\ud83d',
      '\udc1d',
      '\r\n',
      'a',
      '\t',
    )
    const pieces = fc.array(fc.oneof(parts, anyText()))
    fc.assert(
      fc.property(pieces, (texts) => {
        const text = new InertText()
        const out = texts.map((piece) => text.push(piece)).join('') + text.end()
        const whole = new InertText()
        expect(out).toBe(whole.push(texts.join('')) + whole.end())
        expect(out.length).toBe(texts.join('').length)
        expect(out).not.toMatch(active)
        expect(out.isWellFormed()).toBe(true)
      }),
    )
  })

  test('keeps harmless characters', async () => {
    const harmless = 'naïve\t日本\nعربي\u200f می‌خواهم 👩‍💻 [1] `code` \\x1b'
    const { text } = await answer([{ type: 'text-delta', text: harmless }, done], { want: 'text' })
    expect(text).toBe(harmless)
  })

  test('loses an escape sequence and an override that are cut in two', async () => {
    const events = ['a\u001b', '[2Jb', '\u{e0041}'.slice(0, 1), '\u{e0041}'.slice(1), '🐝'.slice(0, 1), '🐝'.slice(1)]
    const { text } = await answer([...events.map((piece) => ({ type: 'text-delta', text: piece }) as const), done], {
      want: 'text',
    })
    expect(text).toBe('a [2Jb  🐝')
  })

  test('loses isolates, which change the direction of the text after them', async () => {
    const { text } = await answer([{ type: 'text-delta', text: 'a\u2066b\u2067c\u2068d\u2069e' }, done], {
      want: 'text',
    })
    expect(text).toBe('a b c d e')
  })

  test('is sent before the citation that points into it', async () => {
    const citation = { number: 1, url: fine.url, title: 'Be\u0007es\n', start: 3, end: 6 }
    const events = await all(
      [
        results([{ ...fine, title: 'Be\u0007es\n' }]),
        { type: 'text-delta', text: '\u0007\u202e [1]\ud83e' },
        { type: 'citation', citation },
        done,
      ],
      { want: 'answer' },
    )
    expect(events.slice(1)).toEqual([
      results([fine]),
      { type: 'text-delta', text: '   [1]' },
      { type: 'citation', citation: { ...citation, title: 'Bees' } },
      { type: 'text-delta', text: '\ufffd' },
      done,
    ])
  })

  test('has no citation of an address that is not of the web', async () => {
    const citation = { number: 1, url: 'javascript:alert(1)', title: 'x', start: 0, end: 3 }
    const { citations } = await answer([{ type: 'text-delta', text: '[1]' }, { type: 'citation', citation }, done])
    expect(citations).toEqual([])
  })
})

describe('a tool call of a backend', () => {
  const tools = [{ name: 'look_up', parameters: { type: 'object' } }]
  const start = { type: 'tool-call-start', id: 'toolu_1', name: 'look_up' } as const

  test('to a function of the caller passes, its arguments without control characters', async () => {
    const { toolCalls } = await answer(
      [
        start,
        { type: 'tool-call-delta', id: 'toolu_1', arguments: '{"a":\u001b"🐝'.slice(0, -1) },
        { type: 'tool-call-delta', id: 'toolu_1', arguments: '🐝"}'.slice(1) },
        done,
      ],
      { want: 'text', tools },
    )
    expect(toolCalls).toEqual([{ id: 'toolu_1', name: 'look_up', arguments: '{"a": "🐝"}' }])
  })

  test.each([
    ['another name', { ...start, name: 'Bash' }, tools],
    ['the same name, not given', start, undefined],
    ['an id of many lines', { ...start, id: 'a\nb' }, tools],
    ['an endless id', { ...start, id: 'a'.repeat(129) }, tools],
  ])('with %s fails', async (_, event, given) => {
    expect((await failureOf(answer([event, done], { want: 'text', tools: given }))).code).toBe('failed')
  })
})

test('other texts of a backend lose control characters', async () => {
  const { model, searches } = await answer([
    { type: 'search-start', id: 'one', query: 'be\u001b[31mes' },
    { ...done, model: 'model\u0007\n1' },
  ])
  expect({ model, query: searches[0]?.query }).toEqual({ model: 'model 1', query: 'bees' })
})

test('health and supported requests are those of the inner executor', async () => {
  const fake = fakeExecutor()
  expect(await sanitised(fake).health()).toEqual(await fake.health())
  expect(sanitised(fake).supports?.(requestFor('bees'))).toBe(true)
  const choosy = sanitised({ ...fake, supports: ({ want }) => want === 'results' })
  expect(choosy.supports?.(requestFor('bees'))).toBe(true)
  expect(choosy.supports?.(requestFor('bees', { want: 'text' }))).toBe(false)
})

function results(rows: readonly SearchResult[]): SearchEvent {
  return { type: 'search-results', id: 'one', results: rows }
}

function all(script: readonly SearchEvent[], request: Partial<SearchRequest> = {}): Promise<readonly SearchEvent[]> {
  const fake = fakeExecutor(async function* () {
    yield { type: 'search-start', id: 'one', query: 'bees' }
    yield* script
  })
  return Array.fromAsync(sanitised(fake).search(requestFor('bees', request), { signal: new AbortController().signal }))
}

async function answer(script: readonly SearchEvent[], request: Partial<SearchRequest> = {}): Promise<Answer> {
  const events = await all(script, request)
  return collect(
    (async function* () {
      yield* events
    })(),
  )
}

async function rowsOf(rows: readonly SearchResult[]): Promise<readonly SearchResult[]> {
  return sourcesOf((await answer([results(rows), done])).searches)
}
