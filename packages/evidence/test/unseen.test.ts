import { expect, test } from 'bun:test'
import { checkClaims } from '../src/check.ts'
import { type CitedPage, unseenText } from '../src/evidence.ts'

function checked(text: string, page: string, more: Partial<CitedPage> = {}) {
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({ text: page, ...more }))
  if (!evidence) throw new Error('nothing was checked')
  return evidence
}

test.each([
  [
    'overturned',
    'The court overturned the ruling of the judge.',
    'The court upheld the ruling of the judge. It was so.',
  ],
  [
    'banks',
    'The mill was sold to several banks in May.',
    'It rained all day. The mill was sold to several shops in May.',
  ],
  ['Weser', 'Die Stadt liegt an der Weser und am Meer.', 'Die Stadt liegt an der Elbe und am Meer. Es hat geregnet.'],
  ['критиковал', 'Он критиковал новую школу и музей.', 'Он хвалил новую школу и музей. Это было давно.'],
  ['الغربية', 'تقع الجامعة في المدينة الغربية القديمة', 'تقع الجامعة في المدينة الساحلية القديمة'],
  ['木头', '这座大学的桥由木头建成,学生有三千人。', '这座大学的桥由石块建成,学生有三千人。'],
  ['木材', 'その大学は木材を使い、学生は三千人です。', 'その大学は石炭を使い、学生は三千人でした。'],
  ['언덕에', '그 대학은 언덕에 있으며 학생은 삼천 명이다.', '그 대학은 바닷가에 있으며 학생은 삼천 명이다.'],
  ['ทองคำ', 'ราคาทองคำเพิ่มขึ้นอย่างมากในปีนี้', 'ราคาน้ำมันเพิ่มขึ้นอย่างมากในปีนี้'],
])('a word that no page has is named, and changes nothing: %s', (word, text, page) => {
  const one = checked(text, page)
  expect(one).toMatchObject({ verdict: 'found', unseen: [word] })
  expect(unseenText(one)).toBe(`words that no page has: ${word}`)
})

test.each([
  ['another ending', 'The visitors praised the mills.', 'It rained. A visitor praises each mill.'],
  ['a part of a longer word', 'Das Haus aus Wasser und Kraft.', 'Der Hausbau. Das Wasserrad und die Kraftwerke.'],
  [
    'split or joined',
    'The e-mail was sent by the database team.',
    'The email was sent by the data-base team. It rained.',
  ],
  ['words that say nothing', 'It is so that they were there with it.', 'The mill was there.'],
  ['initials', 'The plan of the WHO was dropped.', 'The plan of the World Health Organization was dropped.'],
  ['two that meet elsewhere', '大学在北部有学生。', '学生有大学。在北部。部有。'],
])('what a page has in another form is not: %s', (_, text, page) => {
  expect(checked(text, page).unseen).toBeUndefined()
  expect(unseenText(checked(text, page))).toBe('')
})

test('what is missing is not named again', () => {
  const text = 'Mayor Anna Bell praised “the loud old pump” on 4 May 2020 and the 40 visitors from Vercel.'
  const page = 'It rained all day. Mayor Anna Bell mocked the 30 visitors from Oven on 3 May 2020.'
  const { missing = [], unseen } = checked(text, page)
  expect(missing.map(({ kind }) => kind).toSorted()).toEqual(['date', 'name', 'number', 'quotation'])
  expect(unseen).toEqual(['praised'])
})

test('each is named once, in the order of the sentence, and ten at most', () => {
  const words = [
    'zebra',
    'apple',
    'quartz',
    'ginger',
    'walnut',
    'basil',
    'cherry',
    'damson',
    'fennel',
    'grape',
    'hazel',
    'iris',
  ]
  const page = 'It was the mill of the town.'
  expect(checked(`The mill of the zebra, apple and zebra.`, page).unseen).toEqual(['zebra', 'apple'])
  expect(checked(`The mill of ${words.join(', ')}.`, page).unseen).toEqual(words.slice(0, 10))
})

test('it needs no more than one of several pages', () => {
  const pages = ['The mill was sold in May.', 'The banks have it now.']
  const [one] = checkClaims([{ text: 'The mill was sold to banks and shops in May.', sources: [1, 2] }], (source) => ({
    text: pages[source - 1] ?? '',
  }))
  expect(one?.unseen).toEqual(['shops'])
})

test.each<[string, string, Partial<CitedPage>]>([
  ['is in another language', 'Der Bürgermeister hat die neue Schule und den Hafen mit dem Turm gelobt.', {}],
  ['is only quoted', 'The mill was sold to several shops in May.', { isExcerpt: true }],
  ['is kept for subscribers', 'The mill was sold to several shops in May.', { isPaywalled: true }],
])('nothing is known of the words of a page that %s', (_, page, more) => {
  expect(checked('The mill was sold to several banks in May.', page, more).unseen).toBeUndefined()
})

test('a page of words that are all alike costs no more than one that is not', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const alike = Array.from(
    { length: 20_000 },
    (_, at) => `pre${letters[at % 26]}${letters[((at / 26) % 26) | 0]}${letters[((at / 676) % 26) | 0]}xx`,
  )
  const text = `The mill has ${Array.from({ length: 30 }, (_, at) => `prex${letters[at % 26]}yyy${letters[at % 26]}`).join(' and ')}.`
  const { unseen = [] } = checked(text, `The mill has ${alike.join(' ')}`)
  expect(unseen.length).toBeLessThanOrEqual(10)
})
