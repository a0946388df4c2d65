import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { checkClaims } from '../src/check.ts'
import { type Evidence, judgements, passagesOf, type Verdict, verdicts } from '../src/evidence.ts'
import { judgedEvidence, readJudgements } from '../src/judged.ts'

const page =
  'The old bridge over the Aar was opened in 1932. About a score of the workers came from Italy. The council says that it will be closed for repairs in the spring.'
const [partly, found] = checkClaims(
  [
    { text: 'Around 20 of the workers came from Italy.', sources: [1] },
    { text: 'The old bridge over the Aar was opened in 1932.', sources: [1] },
  ],
  () => ({ text: page }),
) as [Evidence, Evidence]
const said = (says: (typeof judgements)[number], words: string) => ({ says, words })
const verdictWith = (one: Evidence, verdict: Verdict) => ({ ...one, verdict })
const score = 'About a score of the workers came from Italy'

test('the sentences that are judged here', () => {
  expect([partly.verdict, partly.missing?.[0]?.text, found.verdict]).toEqual(['partly', '20', 'found'])
})

describe('a judgement', () => {
  test.each([
    ['supported', partly, score, 'found'],
    ['supported', found, 'opened in 1932', 'found'],
    ['supported', verdictWith(found, 'not-found'), 'bridge over the Aar was opened', 'not-found'],
    ['supported', verdictWith(found, 'not-read'), 'bridge over the Aar was opened', 'not-read'],
    ['contradicted', found, 'opened in 1932', 'not-found'],
    ['contradicted', verdictWith(found, 'not-read'), 'opened in 1932', 'not-found'],
    ['not-said', found, 'opened in 1932', 'partly'],
    ['not-said', found, '', 'partly'],
    ['not-said', partly, score, 'partly'],
    ['not-said', partly, '  ', 'not-found'],
    ['not-said', verdictWith(found, 'not-read'), '', 'not-read'],
  ] as const)('%s (%#)', (says, one, words, verdict) => {
    const judged = judgedEvidence(one, said(says, words), 'haiku')
    expect(judged.verdict).toBe(verdict)
    expect(judged.judge).toEqual({ model: 'haiku', says, ...(words.trim() && { words }) })
  })

  test('that raises a sentence takes away what was amiss with it', () => {
    const { missing, doubt, reason, passage } = judgedEvidence(partly, said('supported', score), 'haiku')
    expect([missing, doubt, reason]).toEqual([undefined, undefined, undefined])
    expect(passage).toEqual(partly.passage)
  })

  test.each([
    ['nothing', undefined],
    ['words of no page', said('supported', 'Around 20 of the workers came from Italy')],
    ['words of no page that deny it', said('contradicted', 'nobody came from Italy')],
    ['too few words', said('contradicted', 'the workers')],
    ['no words', said('supported', '')],
    ['no words against it', said('contradicted', ' … ')],
    ['words of the page about something else', said('supported', 'it will be closed for repairs')],
    ['words of the page in another order', said('supported', 'from Italy came the workers of a score')],
    ['words with some left out that are not marked', said('supported', 'opened in 1932 from Italy')],
  ])('does not count with %s', (_, written) => {
    const wide = { ...partly, passage: { text: page, source: 1, place: 0 } }
    expect(judgedEvidence(wide, written, 'haiku')).toEqual({
      ...wide,
      judge: { model: 'haiku', problem: 'not-counted' },
    })
  })

  test('never makes a quotation of what no page has', () => {
    const one: Evidence = { ...partly, missing: [{ kind: 'quotation', text: 'all of us came from Italy' }] }
    expect(judgedEvidence(one, said('supported', score), 'haiku').verdict).toBe('partly')
  })

  test('has its words as the page has them, in whatever letters the model copied them', () => {
    const written = said('supported', '“ABOUT a Score…came from, Italy!”')
    expect(judgedEvidence(partly, written, 'haiku').judge?.words).toBe('About a score … came from Italy')
  })

  const order: readonly Verdict[] = ['found', 'partly', 'not-found']
  const anyText = fc.oneof(fc.string(), fc.constantFrom(score, page, 'opened in 1932', '…', '[x] the workers came'))
  const anyEvidence = fc
    .tuple(fc.constantFrom(found, partly), fc.constantFrom(...verdicts))
    .map(([one, verdict]) => verdictWith(one, verdict))

  test('raises nothing but what is partly found, shows nothing but words of a passage, and is the same twice', () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...judgements), anyText, (one, says, words) => {
        const judged = judgedEvidence(one, said(says, words), 'haiku')
        const shown = judged.judge?.words?.split(' … ') ?? []
        for (const part of shown) expect(passagesOf(one).some(({ text }) => text.includes(part))).toBe(true)
        if (one.verdict === 'not-read') expect(['not-read', 'not-found']).toContain(judged.verdict)
        else if (order.indexOf(judged.verdict) < order.indexOf(one.verdict)) {
          expect([one.verdict, judged.verdict, says, shown.length > 0]).toEqual(['partly', 'found', 'supported', true])
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('what a model wrote', () => {
  const read = (value: unknown, count = 2) => Object.fromEntries(readJudgements(JSON.stringify(value), count))
  const one = { claim: 1, verdict: 'supported', words: 'so it is' }

  test('is read by the numbers of the claims, and the first of each counts', () => {
    const two = { claim: 2, verdict: 'not-said', words: '' }
    expect(read({ judgements: [one, two, { ...one, verdict: 'contradicted' }] })).toEqual({
      1: { says: 'supported', words: 'so it is' },
      2: { says: 'not-said', words: '' },
    })
  })

  test.each([
    [
      'of another claim',
      {
        judgements: [
          { ...one, claim: 3 },
          { ...one, claim: 0 },
          { ...one, claim: 1.5 },
        ],
      },
    ],
    ['in another shape', { judgements: [{ ...one, claim: '1' }, null, 'supported', { ...one, words: ['so'] }] }],
    [
      'with another verdict',
      {
        judgements: [
          { ...one, verdict: 'found' },
          { ...one, verdict: 'toString' },
        ],
      },
    ],
    ['with words without end', { judgements: [{ ...one, words: 'so '.repeat(1000) }] }],
    ['behind a hundred others', { judgements: [...Array.from({ length: 100 }, () => ({ ...one, claim: 9 })), one] }],
    ['in no list', { judgements: one }],
    ['without a name', [one]],
    ['in a reply without end', { judgements: [one], more: 'x'.repeat(100_000) }],
  ])('is left out %s', (_, value) => {
    expect(read(value)).toEqual({})
  })

  test.each([
    [100_000, 1],
    [100_001, 0],
  ])('is read up to a length, here of %i characters', (length, count) => {
    expect(readJudgements(JSON.stringify({ judgements: [one] }).padEnd(length), 2).size).toBe(count)
  })

  test('may be anything at all', () => {
    fc.assert(
      fc.property(fc.string(), (text) => readJudgements(text, 2).size === 0),
      { numRuns: runs(200) },
    )
  })
})
