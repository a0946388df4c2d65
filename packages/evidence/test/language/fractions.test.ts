import { expect, test } from 'bun:test'
import { checkClaims } from '../../src/check.ts'
import { spelledShares } from '../../src/language/fractions.ts'

function verdictOf(text: string, page: string) {
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({ text: `${page} It rained all day.` }))
  return { verdict: evidence?.verdict, missing: evidence?.missing?.map((one) => one.text) }
}

const languages: readonly (readonly [share: string, percent: string, other: string, rest: string])[] = [
  ['Two thirds', '67%', '75%', ' of the voters of the valley stayed at home.'],
  ['Three quarters', '75%', '33%', ' of the voters of the valley stayed at home.'],
  ['Half', '50%', '40%', ' of the voters of the valley stayed at home.'],
  ['Ein Drittel', '33 %', '25 %', ' der Wähler des Tals blieb am Sonntag zu Hause.'],
  ['Les deux tiers', '67 %', '60 %', ' des électeurs de la vallée sont restés chez eux.'],
  ['Un tercio', '33 %', '25 %', ' de los votantes del valle se quedó en casa.'],
  ['Um terço', '33 %', '25 %', ' dos eleitores do vale ficou em casa.'],
]

test.each(languages)('%s are %s, and not %s', (share, percent, other, rest) => {
  expect(verdictOf(share + rest, percent + rest)).toEqual({ verdict: 'found', missing: undefined })
  expect(verdictOf(percent + rest, share + rest)).toEqual({ verdict: 'found', missing: undefined })
  expect(verdictOf(share + rest, other + rest)).toEqual({ verdict: 'partly', missing: [expect.any(String)] })
  expect(verdictOf(other + rest, share + rest)).toEqual({ verdict: 'partly', missing: [expect.any(String)] })
})

const rest = 'voters of the valley stayed at home.'
test.each(['One in three', '1 in 3', '⅓ of the', '1/3 of the', 'One-third of all', '0.33 of the'])(
  'a third is %s',
  (share) => expect(verdictOf(`A third of the ${rest}`, `${share} ${rest}`).missing).toBeUndefined(),
)

test.each(['the third quarter', 'a quarter past nine', 'a third man', 'das dritte Viertel', 'ein Drittel'])(
  'nothing has to be there for %s',
  (words) => expect([...spelledShares(`It was ${words}.`)].filter(({ isSure }) => isSure)).toEqual([]),
)
