import { describe, expect, test } from 'bun:test'
import { foldedWord, isCommon, isSpaceless, languageOfWords, stemOf } from '../src/words.ts'

const languageOf = (text: string) => languageOfWords(text.split(' ').map(foldedWord))

describe('the language of some words', () => {
  test.each([
    ['en', 'the seal is at the beach'],
    ['de', 'der hund ist nicht im haus'],
    ['fr', 'il est dans la maison avec elle'],
    ['ru', 'это было на льду'],
    ['th', 'แม มว วน นา าก กก'],
    ['el', 'φώκιες ζουν στον πάγο εδώ'],
  ])('is %s', (language, text) => expect(languageOf(text)).toBe(language))

  test('is unknown of one frequent word, and where they are too rare', () => {
    expect(languageOf('the seal')).toBeUndefined()
    expect(languageOf('the and')).toBe('en')
    const rare = (count: number) => `the and ${'seal '.repeat(count).trim()}`
    expect(languageOf(rare(23))).toBe('en')
    expect(languageOf(rare(24))).toBeUndefined()
  })

  test('is unknown where two have about as many', () => {
    expect(languageOf('the and der und')).toBeUndefined()
    expect(languageOf('the and der')).toBe('en')
  })

  test('is that of the first 1500', () => {
    expect(languageOf(`${'the '.repeat(1500)}${'und '.repeat(9000).trim()}`)).toBe('en')
  })
})

test.each([
  ['Straße', 'strasse'],
  ['Łódź', 'lodz'],
  ['Æther', 'aether'],
  ['CŒUR', 'coeur'],
  ['ısı', 'isi'],
  ['Việt', 'viet'],
  ['Đà', 'da'],
])('%s is compared as %s', (word, folded) => expect(foldedWord(word)).toBe(folded))

test.each([
  ['running', 'runn'],
  ['as', 'as'],
  ['seals', 'seal'],
  ['sealed', 'seal'],
  ['bed', 'bed'],
  ['rings', 'ring'],
  ['being', 'being'],
  ['internationally', 'interna'],
])('the stem of %s is %s', (word, stem) => expect(stemOf(word)).toBe(stem))

test('letters of scripts without spaces, and of Korean, are compared one by one', () => {
  expect(['海豹', 'アザラシ', 'แมวน้ำ', '바다'].every(isSpaceless)).toBe(true)
  expect(['seal', 'тюлень', 'φώκια', ''].some(isSpaceless)).toBe(false)
})

test('one letter says nothing, unless it is a word', () => {
  expect(['the', 'und', 'x'].every(isCommon)).toBe(true)
  expect(['seal', '海'].some(isCommon)).toBe(false)
})
