import { expect, test } from 'bun:test'
import {
  concernsOf,
  type Doubt,
  doubtText,
  type Evidence,
  evidenceText,
  isDoubtful,
  type Judgement,
  lacksJudge,
  type Missing,
} from '../src/evidence.ts'

const plain: Evidence = { sentence: 'S.', start: 0, end: 2, verdict: 'found', score: 1, sources: [1] }
const number: Missing = { kind: 'number', text: '7' }

test.each<[string, Partial<Evidence>, boolean, readonly string[]]>([
  ['that is found', {}, false, []],
  ['that is partly found', { verdict: 'partly', missing: [] }, false, []],
  ['that is not found', { verdict: 'not-found' }, true, []],
  ['whose number is missing', { missing: [number] }, true, ['on no page: the number 7']],
  [
    'in another order',
    { doubt: { kind: 'order', said: 'a before b', page: 'b before a' } },
    true,
    ['in the other order on the page: b before a'],
  ],
  [
    'that a judge contradicts',
    { judge: { model: 'm', says: 'contradicted', words: 'it is 8' } },
    true,
    ['contradicted, as the judge says: it is 8'],
  ],
  [
    'that says too much',
    { judge: { model: 'm', says: 'not-said' } },
    true,
    ['not all of it is said, as the judge says'],
  ],
  ['that a judge supports', { judge: { model: 'm', says: 'supported', words: 'so' } }, false, []],
  ['that no judge has judged', { judge: { problem: 'timeout' } }, false, []],
])('whether a sentence is doubtful, and why: one %s', (_, parts, isOne, concerns) => {
  const evidence = { ...plain, ...parts }
  expect(isDoubtful(evidence)).toBe(isOne)
  expect(concernsOf(evidence)).toEqual(concerns)
})

test.each<[Doubt, string]>([
  [{ kind: 'order', said: 'a', page: 'b' }, 'in the other order on the page: b'],
  [{ kind: 'opposite', said: 'more', page: 'less' }, '“more”, where the page has “less”'],
  [{ kind: 'negation', said: '', page: 'not' }, 'without the “not” of the page'],
  [{ kind: 'negation', said: 'unsafe', page: 'safe' }, '“unsafe”, where the page has “safe”'],
  [{ kind: 'negation', said: 'never', page: '' }, 'with a “never” that the page does not have'],
])('a doubt in words: %j', (doubt, words) => {
  expect(doubtText(doubt)).toBe(words)
})

test('a judge is named with a hundred characters at most; one that was asked and did not judge is lacking', () => {
  const judgedBy = (judge: Judgement | undefined) => [{ ...plain, judge }]
  const said = (model: string) => evidenceText(judgedBy({ model, says: 'supported', words: '' }))
  expect(said('m'.repeat(100))).toEndWith(` judge=${'m'.repeat(100)}`)
  expect(said(`${'m'.repeat(100)}n`)).toEndWith(` judge=${'m'.repeat(100)}`)
  expect(lacksJudge(judgedBy(undefined))).toBe(false)
  expect(lacksJudge(judgedBy({ problem: 'timeout' }))).toBe(true)
  expect(lacksJudge(judgedBy({ model: 'm', says: 'supported', words: '' }))).toBe(false)
})
