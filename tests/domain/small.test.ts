import { expect, test } from 'bun:test'
import { type PageErrorTraits, pageErrorCodes, pageErrorTraits } from '@csp/page-reader/page-error'
import { accountOf } from '../../src/domain/account.ts'
import { listPriceOf } from '../../src/domain/claude-models.ts'
import { tightestOf } from '../../src/domain/health.ts'
import { ownerOf } from '../../src/domain/memory.ts'
import { unreadInWords } from '../../src/domain/unread-pages.ts'

const codesWhere = (holds: (traits: PageErrorTraits) => boolean) =>
  pageErrorCodes.filter((code) => holds(pageErrorTraits(code))).join(' ')

test('some failures are of a whole site, and some say nothing of the page', () => {
  expect(codesWhere(({ isOfSite }) => isOfSite)).toBe(
    'blocked-by-robots blocked-by-status blocked-by-challenge needs-login needs-consent unreachable bad-certificate timeout',
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
