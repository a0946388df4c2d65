import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { checkClaims } from '../src/check.ts'

/** What docs/evidence.md says that words cannot see: each line of its table, a sentence, a page, and the verdict. */
const spots: readonly (readonly [line: string, claim: string, page: string, verdict: string])[] = [
  [
    'a paraphrase',
    'The firm let half of its people go.',
    'The company dismissed 50 % of its staff last week.',
    'not-found',
  ],
  [
    'a figure that the page gives for something else',
    'The bridge cost 40 million euros.',
    'The bridge cost 30 million euros. The tunnel cost 40 million euros.',
    'found',
  ],
  [
    "another word than the page's, unless a name",
    'The mill was sold to several banks in May.',
    'The mill was sold to several shops in May.',
    'found',
  ],
  [
    'an opposite that is on no list',
    'The old mill was praised by visitors.',
    'The old mill was mocked by visitors.',
    'found',
  ],
  [
    'another name that is on the page',
    'Anna Bell paid for the boat.',
    'Anna Bell came late. Carl Dorn paid for the boat.',
    'found',
  ],
  [
    'another name without capitals that no letter tells',
    '소설은 한유진이 영어로 옮겼고 봄에 출간됐다.',
    '소설은 정미라가 영어로 옮겼고 봄에 출간됐다.',
    'found',
  ],
  [
    'a guess or an opinion told as a fact',
    'The bridge will open in May.',
    'The mayor hopes that the bridge will open in May.',
    'found',
  ],
]

test.each(spots)('it cannot see %s', (_, text, page, verdict) => {
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({
    text: /[a-z]/.test(page) ? `It rained all day. ${page}` : page,
  }))
  expect(evidence?.verdict).toBe(verdict as never)
})

test('the documentation has each of them, and no other', () => {
  const docs = readFileSync(new URL('../../../docs/evidence.md', import.meta.url), 'utf8')
  const [, table = ''] = docs.split('| It cannot see | Then it says |\n|---|---|\n')
  const rows = table.split('\n\n')[0]?.split('\n') ?? []
  expect(rows).toEqual(spots.map(([line, , , verdict]) => `| ${line} | \`${verdict}\` |`))
})
