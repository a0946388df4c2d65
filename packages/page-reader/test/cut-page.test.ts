import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { cutting } from '../src/cut-page.ts'
import type { WholePage, WholePageRequest } from '../src/whole-page.ts'
import { failureOf } from './contract/page-reader.ts'

const context = { signal: new AbortController().signal }

function readerOf(text: string, contentType: string) {
  const page: WholePage = {
    finalUrl: 'https://lamps.example/x.ts',
    status: 200,
    contentType,
    contents: { markdown: text, text, html: `<pre>${text}</pre>` },
    links: [],
  }
  return cutting({ read: async () => page, close: async () => {} })
}

test.each([
  ['aa bb cc dd', {}, 'aa bb cc dd'],
  ['aaaa bbbb c', { maxCharacters: 11 }, 'aaaa bbbb c'],
  ['aaaa bbbb c', { maxCharacters: 10 }, 'aaaa bbbb '],
  ['aaaa bbbb c', { maxCharacters: 9 }, 'aaaa bbbb'],
  // Only what leaves more than seven tenths of a part is its end.
  ['aaaaaa bbbb', { maxCharacters: 10 }, 'aaaaaa bbb'],
  ['aaaaaaa bbb', { maxCharacters: 10 }, 'aaaaaaa '],
  ['aaaaaa\n\nb c d', { maxCharacters: 10 }, 'aaaaaa\n\n'],
  ['aaaaaaa\nb c d', { maxCharacters: 10 }, 'aaaaaaa\n'],
  ['aaaa bbbb c', { maxCharacters: 0 }, 'a'],
  ['aaaa bbbb c', { offset: -3, maxCharacters: 2.9 }, 'aa'],
  ['aaaa bbbb c', { offset: 5.5, maxCharacters: 4 }, 'bbbb'],
  // A character of two halves stays whole, and half a one is a character.
  ['🐝🐝', { maxCharacters: 1 }, '🐝'],
  ['a🐝b', { maxCharacters: 2 }, 'a'],
  ['a🐝b', { offset: 2 }, '🐝b'],
  ['a\ud83dbc', { maxCharacters: 2 }, 'a\ud83d'],
  ['ab\udc1dc', { maxCharacters: 2 }, 'ab'],
])('of %j the part %j is %j', async (text, parts, content) => {
  const page = await readerOf(text, 'text/html').read({ url: 'https://lamps.example/', ...parts }, context)
  expect(page).toMatchObject({ content, totalCharacters: text.length })
  expect(text.slice(page.offset, text.length - page.remaining)).toBe(content)
})

test('a page is read with care and without what stands around its content, unless a request says otherwise', async () => {
  const asked: WholePageRequest[] = []
  const page = await readerOf('', 'text/html').read({ url: 'https://lamps.example/' }, context)
  const reader = cutting({
    async read(request) {
      asked.push(request)
      return { ...page, contents: { markdown: '', text: '', html: '' } }
    },
    close: async () => {},
  })
  const [url, language] = ['https://lamps.example/', 'de']
  await reader.read({ url }, context)
  await reader.read({ url, language, mainContentOnly: false, isRough: true, format: 'text', offset: 1 }, context)
  expect(asked).toEqual([
    { url, language: undefined, mainContentOnly: true, isRough: false },
    { url, language, mainContentOnly: false, isRough: true },
  ])
})

test('where a page led is asked for as well, since it may come from a cache', async () => {
  const asked: string[] = []
  const read = (may: boolean) => {
    const mayVisit = ({ href }: URL) => asked.push(href) > 0 && may
    return readerOf('Lamps.', 'text/html').read({ url: 'https://lamps.example/' }, { ...context, mayVisit })
  }
  expect((await read(true)).content).toBe('Lamps.')
  expect(await failureOf(read(false))).toBe('not-allowed')
  expect(asked).toEqual(['https://lamps.example/x.ts', 'https://lamps.example/x.ts'])
})

test('nothing is read for a caller that has left', async () => {
  let reads = 0
  const read = async () => Promise.reject(new Error(`read ${++reads} times`))
  const left = { signal: AbortSignal.abort() }
  expect(await failureOf(cutting({ read, close: async () => {} }).read({ url: 'https://a.example/' }, left))).toBe(
    'cancelled',
  )
  expect(reads).toBe(0)
})

describe('a file whose address names a line', () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1};`).join('\n')
  const read = (hash: string, parts: object, type = 'text/plain') =>
    readerOf(text, type).read({ url: `https://lamps.example/x.ts${hash}`, ...parts }, context)

  test.each(['#L12', '#L12-L14', '#L12C3-L14C1', '#L12-14'])('begins there when it does not fit: %s', async (hash) => {
    const page = await read(hash, { maxCharacters: 40 })
    expect(page.content).toStartWith('line 12;\nline 13;')
    expect(page.offset).toBe(text.indexOf('line 12;'))
    expect(page.remaining).toBe(text.length - page.offset - page.content.length)
    expect(page.url).toEndWith(hash)
  })

  test.each([
    ['fits', '#L12', {}, 'text/plain'],
    ['is asked for from a place', '#L12', { offset: 0, maxCharacters: 40 }, 'text/plain'],
    ['has one line less', '#L41', { maxCharacters: 40 }, 'text/plain'],
    ['has fewer lines', '#L42', { maxCharacters: 40 }, 'text/plain'],
    ['has no line 0', '#L0', { maxCharacters: 40 }, 'text/plain'],
    ['has a part of that name', '#L12x', { maxCharacters: 40 }, 'text/plain'],
    ['is a page', '#L12', { maxCharacters: 40 }, 'text/html'],
  ])('begins with its first when it %s', async (_, hash, parts, type) => {
    const page = await read(hash, parts, type)
    expect(page).toMatchObject({ offset: 0, content: expect.stringMatching(/^line 1;/) })
  })

  test('is found by the lines that an editor counts', async () => {
    const lines = fc.array(
      fc.string({ maxLength: 8 }).map((line) => line.replaceAll('\n', '')),
      { minLength: 2, maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(), async (all, choice) => {
        const whole = all.join('\n')
        fc.pre(whole.length > 1)
        const index = choice % all.length
        const reader = readerOf(whole, 'text/plain')
        const page = await reader.read({ url: `https://x.example/#L${index + 1}`, maxCharacters: 1 }, context)
        expect(page.offset).toBe(all.slice(0, index).join('\n').length + (index > 0 ? 1 : 0))
      }),
      { numRuns: runs(200) },
    )
  })
})
