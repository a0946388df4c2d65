import { expect, test } from 'bun:test'
import { ScenarioPicker } from './support/recorded-sandbox.ts'

test('one scenario applies to every call', () => {
  const picker = new ScenarioPicker('slow')
  expect([picker.next('search'), picker.next('write')]).toEqual(['slow', 'slow'])
})

test('the first rule that fits and is not used up applies, and after the last one all is well', () => {
  const picker = new ScenarioPicker([
    { scenario: 'error-429', kind: 'search', times: 1 },
    { scenario: 'error-500', times: 2 },
  ])
  const kinds = ['decide', 'search', 'search', 'search', 'write'] as const
  expect(kinds.map((kind) => picker.next(kind))).toEqual(['error-500', 'error-429', 'error-500', 'ok', 'ok'])
})
