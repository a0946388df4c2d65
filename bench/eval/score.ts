import type { SearchResult } from '../../src/domain/search.ts'
import type { Question } from './question.ts'

/** Whether one of the first five results holds the answer: in its title, its excerpt or its passages. */
export function hasEvidence(rows: readonly SearchResult[], question: Question): boolean {
  return rows
    .slice(0, 5)
    .some(({ title, snippet = '', passages = [] }) => holdsAnswer([title, snippet, ...passages].join('\n'), question))
}

/** Whether a text holds one of the answers, as words of their own, however they are accented or punctuated. */
export function holdsAnswer(text: string, { answers }: Question): boolean {
  const words = ` ${normalise(text)} `
  return answers.flatMap(waysToWrite).some((answer) => words.includes(` ${normalise(answer)} `))
}

/** Letters and digits in lower case, with single spaces between them. */
function normalise(text: string): string {
  return text
    .replace(/(?<=\d)[,'\u00a0\u202f\u2009](?=\d{3}(?!\d))/g, '') // 1,624
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[øłđðßæœþ]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Letters that do not come apart into a plain one and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** A day can be written in many ways; all else is written as it stands. */
function waysToWrite(answer: string): readonly string[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(answer) ?? []
  const date = new Date(`${answer}T00:00:00Z`)
  if (!day || Number.isNaN(date.getTime())) return [answer]
  const number = String(Number(day))
  const names = (['long', 'short'] as const).map((style) =>
    date.toLocaleDateString('en', { month: style, timeZone: 'UTC' }),
  )
  const written = names.flatMap((name) => [
    `${number} ${name} ${year}`,
    `${name} ${number} ${year}`,
    `${name} ${number}th ${year}`,
  ])
  return [answer, ...written, `${day}.${month}.${year}`, `${number}.${Number(month)}.${year}`]
}
