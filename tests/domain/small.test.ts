import { expect, test } from 'bun:test'
import { accountOf } from '../../src/domain/account.ts'
import { tightestOf } from '../../src/domain/health.ts'
import { listPriceOf } from '../../src/domain/list-price.ts'
import { ownerOf } from '../../src/domain/memory.ts'
import { type PageErrorTraits, pageErrorCodes, pageErrorTraits, unreadInWords } from '../../src/domain/page-error.ts'
import { newsIn, type SeenPages } from '../../src/domain/watch.ts'

const codesWhere = (holds: (traits: PageErrorTraits) => boolean) =>
  pageErrorCodes.filter((code) => holds(pageErrorTraits(code))).join(' ')

test('some failures are of a whole site, and some say nothing of the page', () => {
  expect(codesWhere(({ isOfSite }) => isOfSite)).toBe(
    'blocked-by-robots blocked-by-status blocked-by-challenge needs-login unreachable bad-certificate timeout',
  )
  expect(codesWhere(({ isPassing }) => isPassing)).toBe('busy cancelled')
})

test('three sites whose pages did not come are named, and the others counted', () => {
  const unread = (...sites: readonly string[]) => unreadInWords(sites.map((site) => ({ site, code: 'timeout' })))
  expect(unread('a', 'b', 'a', 'c')).toBe('a (does not answer), b (does not answer), c (does not answer)')
  expect(unread('a', 'b', 'c', 'd', 'e')).toEndWith(', c (does not answer) and 2 more')
})

test('the price of a search is that of its model', () => {
  const spent = { searches: 200, inputTokens: 1_000_000, outputTokens: 2_000_000 }
  expect(['claude-haiku-5-5', 'sonnet', 'opus-9'].map((model) => listPriceOf(model, spent))).toEqual([
    2 + 1 + 10,
    2 + 3 + 30,
    2 + 5 + 50,
  ])
  expect([listPriceOf('gpt-9', spent), listPriceOf('fable', spent)]).toEqual([undefined, undefined])
})

test('the account of a caller is the name of the key, and pages belong to it where keys share none', () => {
  expect([accountOf('phone:app'), accountOf('phone'), accountOf(undefined)]).toEqual(['phone', 'phone', '(local)'])
  expect([ownerOf('key', 'phone:app'), ownerOf('key', undefined), ownerOf('all', 'phone')]).toEqual(['phone', '', ''])
})

test('the tightest window is the fullest', () => {
  const windows = [{ utilization: 0.2 }, {}, { utilization: 0.7 }, { utilization: 0.5 }]
  expect(tightestOf(windows)).toEqual({ utilization: 0.7 })
  expect(tightestOf([{}, { utilization: 0.1 }])).toEqual({ utilization: 0.1 })
})

const url = (page: number) => `https://a.example/${page}`
const row = (page: number, ...passages: readonly string[]) => {
  const [snippet, ...more] = passages
  return { title: `Page ${page}`, url: url(page), source: 'fake', snippet, passages: more }
}
const news = (rows: Parameters<typeof newsIn>[0], seen: SeenPages = {}) => newsIn(rows, seen, (text) => text)

test('a watch tells of new pages, and of the new passages of those that it knows', () => {
  const first = news([row(1, 'a', 'b'), row(2)])
  expect(first.entries).toEqual([
    { kind: 'new', url: url(1), title: 'Page 1', passages: ['a', 'b'] },
    { kind: 'new', url: url(2), title: 'Page 2', passages: [] },
  ])
  expect(first.seen).toEqual({ [url(1)]: ['a', 'b'], [url(2)]: [] })
  // A page that had no passages has none to compare with.
  const second = news([row(1, 'a', 'b'), row(2, 'x'), row(1, 'c', 'a')], first.seen)
  expect(second.entries).toEqual([{ kind: 'changed', url: url(1), title: 'Page 1', passages: ['c'] }])
  expect(second.seen).toEqual({ [url(2)]: ['x'], [url(1)]: ['a', 'b', 'c'] })
})

test('a watch remembers the 1000 pages that it saw last, and 50 passages of each', () => {
  const letters = Array.from({ length: 51 }, (_, index) => `passage ${index}`)
  const rows = Array.from({ length: 1000 }, (_, page) => row(page, 'a'))
  const { seen } = news([...rows, row(0, ...letters), row(1000, 'a')])
  expect(Object.keys(seen)).toHaveLength(1000)
  expect([seen[url(0)], seen[url(1)], seen[url(2)]]).toEqual([letters.slice(1), undefined, ['a']])
})
