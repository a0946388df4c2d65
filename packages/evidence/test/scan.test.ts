import { describe, expect, test } from 'bun:test'
import { finished, inPieces } from '@csp/lib/pieces'
import { cpuSince, longestTurn } from '@csp/testing/longest-turn'
import { scan, scanning } from '../src/scan.ts'

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
    ['海AB', ['海a', 'ab']],
    ['見𠮷野家', ['見𠮷', '𠮷野', '野家']],
  ])('of %s are the words %j, each at its place', (text, words) => {
    const found = scan(text)
    expect(found.words).toEqual(words)
    expect(words.map((_, at) => text.slice(found.starts[at], found.ends[at]).toLowerCase())).toEqual(words)
  })

  /** The numbers of a text, each with whether it is sure, its letters and the word at its place. */
  const numbers = (text: string) => {
    const { figures, words } = scan(text)
    return figures.map(({ values, isSure, isSpelled, start, end, at }) => [
      ...[values[0]?.value, isSure, text.slice(start, end), words[at], ...(isSpelled ? ['spelled'] : [])],
    ])
  }

  test.each([
    ['共三十二人', [[32, true, '三十二', '三十', 'spelled']]],
    ['有二人', [[2, false, '二', '二人', 'spelled']]],
    [
      '3万と三十二人',
      [
        [30_000, true, '3万', '3'],
        [32, true, '三十二', '三十', 'spelled'],
      ],
    ],
    [
      '3万，共三十二人',
      [
        [30_000, true, '3万', '3'],
        [32, true, '三十二', '三十', 'spelled'],
      ],
    ],
    ['约二〇二四年', [[2024, true, '二〇二四', '二〇', 'spelled']]],
    [
      '① and ½',
      [
        [1, true, '①', '1'],
        [0.5, false, '½', '0.5', 'spelled'],
      ],
    ],
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
    ['dix cents', [[[10], 'dix']]],
    ['3百万', [[[3e6], '3百万']]],
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
    [
      '2 ⓪',
      [
        [[2], '2'],
        [[0], '⓪'],
      ],
    ],
    [
      '2 ①',
      [
        [[2], '2'],
        [[1], '①'],
      ],
    ],
    ['seal¹ and 5²', [[[5, 25], '5²']]],
    ['¹ seal', [[[1], '¹']]],
  ])('in %j are %j', (text, expected) => expect(figures(text)).toEqual(expected as never))
})

test('the stem of a number in words is its value; of a Roman one, which may be an abbreviation, its letters', () => {
  expect(scan('seven seals in MIX').stems).toEqual(['7', 'seal', 'in', 'mix'])
})

test('a text is read in pieces of about a millisecond, in which a number counts as five words, and its numbers once more', () => {
  const pieces = (text: string) => {
    const reading = scanning(text)
    let count = 0
    while (!reading.next().done) count++
    return count
  }
  expect(pieces('seal '.repeat(20_000))).toBe(9)
  expect(pieces('5 '.repeat(20_000))).toBe(48 + 2 * 40)
})

test('a cent that is money is a word', () => {
  expect(scan('5 cents').words).toEqual(['5', 'cents'])
  expect(scan('cinq cents').words).toEqual(['cinq'])
})

test('a text is read until its time is over, which is looked at every 128 words', () => {
  const read = (words: number, isOver: boolean) => {
    const found = finished(scanning('seal '.repeat(words), () => isOver))
    return [found.words.length, found.isWhole]
  }
  expect([read(127, true), read(128, true), read(300, true), read(300, false)]).toEqual([
    [127, true],
    [127, false],
    [127, false],
    [300, true],
  ])
})

test.each(['½', '½ ', '1반', 'm½', '9²'])('a page of nothing but %j is read in pieces to its end', async (part) => {
  const text = part.repeat(200_000 / part.length)
  await inPieces(scanning(text.slice(0, 20_000)))
  const startedAt = process.cpuUsage()
  const longest = await longestTurn(() => inPieces(scanning(text)), Number.POSITIVE_INFINITY)
  expect(longest).toBeLessThan(cpuSince(startedAt) / 5)
})
