import { expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { effortOf, reasons, wantsThoughts } from '../../src/translation/request/thinking.ts'

const request = (more: Partial<MessagesRequest>): MessagesRequest => ({ model: 'm', messages: [], ...more })
const budget = (budget_tokens?: number) => ({ thinking: { type: 'enabled', budget_tokens } })

test.each([
  [{}, undefined],
  [budget(), undefined],
  [budget(4999), 'low'],
  [budget(5000), 'medium'],
  [budget(9999), 'medium'],
  [budget(10_000), 'high'],
  [{ output_config: { effort: 'low' } }, 'low'],
  [{ output_config: { effort: 'medium' } }, 'medium'],
  [{ output_config: { effort: 'high' } }, 'high'],
  [{ output_config: { effort: 'xhigh' } }, 'xhigh'],
  [{ output_config: { effort: 'max' }, ...budget(1) }, 'max'],
  [{ output_config: { effort: 'odd' }, ...budget(1) }, 'low'],
  [{ thinking: { type: 'disabled' } }, 'none'],
])('the effort of %j is %p', (more, effort) => {
  expect(effortOf(request(more), new Set())).toBe(effort as string)
})

test('an effort that a model has refused is not sent, and the usual one only where none is wanted', () => {
  const off = request({ thinking: { type: 'disabled' } })
  expect(effortOf(off, new Set(['effort:none']))).toBe('minimal')
  expect(effortOf(off, new Set(['effort:none', 'effort:minimal']))).toBe('low')
  expect(effortOf(off, new Set(['effort:none', 'effort:minimal', 'effort:low']), 'medium')).toBeUndefined()
  expect(effortOf(request({}), new Set(), 'medium')).toBe('medium')
  expect(effortOf(request({}), new Set(['effort:medium']), 'medium')).toBeUndefined()
})

test('a model may think unless it is told not to, and its thoughts are wanted where it is told to', () => {
  const each = [{}, { thinking: null }, { thinking: { type: 'adaptive' } }, { thinking: { type: 'disabled' } }]
  expect(each.map((more) => [reasons(request(more)), wantsThoughts(request(more))])).toEqual([
    ...[
      [true, false],
      [true, false],
      [true, true],
      [false, false],
    ],
  ])
})
