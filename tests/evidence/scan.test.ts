import { describe, expect, test } from 'bun:test'
import { scan } from '../../src/evidence/scan.ts'

const sentencesOf = (text: string) => {
  const { words, sentences, sentenceStarts } = scan(text)
  return sentenceStarts.map((_, at) => words.filter((_, place) => sentences[place] === at).join(' '))
}

test.each([
  ['Dr. Lee met us. We sang! Why? So.', ['dr lee met us', 'we sang', 'why', 'so']],
  ['One said “Go.” Then two went.', ['one said go', 'then two went']],
  ['\n\nA line\n\n\nand one more\n', ['a line', 'and one more', '']],
  ['Lee met us. . . Then we sang.', ['lee met us', 'then we sang']],
  ['雨が降った。止んだ。', ['雨が が降 降っ った', '止ん んだ', '']],
])('the sentences of %j are %j', (text, sentences) => {
  expect(sentencesOf(text)).toEqual([...sentences])
})

test('a sentence begins behind the end of the one before it, however many ends there are', () => {
  expect(scan('Seals bark.\n\n \nThey sing.').sentenceStarts).toEqual([0, 15])
})

test('a list without marks is cut into sentences of eighty words', () => {
  const counts = (words: number) => sentencesOf('seal '.repeat(words).trim()).map((part) => part.split(' ').length)
  expect([counts(79), counts(80), counts(81)]).toEqual([[79], [80, 1], [80, 1]])
  expect(sentencesOf('seal '.repeat(81))[1]).toBe('seal')
})

describe('letters without spaces', () => {
  test.each([
    ['海', ['海']],
    ['海豹', ['海豹']],
    ['海豹叫', ['海豹', '豹叫']],
    ['3万', ['3']],
    ['3万人', ['3', '人']],
    ['3万海豹叫', ['3', '海豹', '豹叫']],
  ])('of %s are the words %j', (text, words) => expect(scan(text).words).toEqual(words))

  /** The numbers of a text, each with whether it is sure, its letters and the word at its place. */
  const numbers = (text: string) => {
    const { figures, words } = scan(text)
    return figures.map(({ values, isSure, start, end, at }) => [
      ...[values[0]?.value, isSure, text.slice(start, end), words[at]],
    ])
  }

  test.each([
    ['共三十二人', [[32, true, '三十二', '三十']]],
    ['有二人', [[2, false, '二', '二人']]],
    [
      '3万，共三十二人',
      [
        [30_000, true, '3万', '3'],
        [32, true, '三十二', '三十'],
      ],
    ],
    ['约二〇二四年', [[2024, true, '二〇二四', '二〇']]],
  ])('have in %s the numbers %j', (text, expected) => expect(numbers(text)).toEqual(expected))
})

describe('a number and the word behind it', () => {
  const figures = (text: string) =>
    scan(text).figures.map(({ values, start, end }) => [values.map(({ value }) => value), text.slice(start, end)])

  test.each([
    ['3 million', [[[3e6], '3 million']]],
    ['3  million', [[[3], '3']]],
    ['3 seals, million', [[[3], '3']]],
    ['5 cents', [[[5], '5']]],
    ['cinq cents', [[[500], 'cinq cents']]],
    ['six cents', [[[600, 6], 'six cents']]],
    ['€5m', [[[5e6], '€5m'.slice(1)]]],
    ['€  5m', [[[5, 5e6], '5m']]],
    ['5m', [[[5, 5e6], '5m']]],
    ['90s', [[[90, 1990], '90s']]],
    ['90er', [[[90, 1990], '90er']]],
    ['90 s', [[[90], '90']]],
    ['90em', [[[90], '90']]],
    ['6 p.m.', [[[6, 18], '6 p']]],
    ['6 pm', [[[6, 18], '6 pm']]],
    ['6 pmx', [[[6], '6']]],
    [
      '2019–20',
      [
        [[2019], '2019'],
        [[20, 2020], '20'],
      ],
    ],
    [
      '2019, 20',
      [
        [[2019], '2019'],
        [[20], '20'],
      ],
    ],
    [
      '3019–20',
      [
        [[3019], '3019'],
        [[20], '20'],
      ],
    ],
    ['2½', [[[2.5], '2½']]],
    ['2 ½', [[[2.5], '2 ½']]],
    [
      '2  ½',
      [
        [[2], '2'],
        [[0.5], '½'],
      ],
    ],
    [
      'two ½',
      [
        [[2], 'two'],
        [[0.5], '½'],
      ],
    ],
    ['seal¹ and 5²', [[[5, 25], '5²']]],
    ['¹ seal', [[[1], '¹']]],
  ])('in %j are %j', (text, expected) => expect(figures(text)).toEqual(expected as never))
})

test('a text is read until its time is over', () => {
  const { words, isWhole } = scan('seal '.repeat(200))
  expect([words.length, isWhole]).toEqual([200, true])
})
