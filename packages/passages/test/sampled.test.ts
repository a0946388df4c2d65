import { expect, test } from 'bun:test'
import { sampled } from '../src/sampled.ts'

/** Of so many lines of 100 characters each, and with a word in some of them, by their numbers. */
function page(lines: number, words: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: lines }, (_, line) => `${`${words[line] ?? ''} ${line} `.padEnd(99, '-')}\n`).join('')
}

test('a page of ordinary length is taken as it is, whatever is in it', () => {
  const text = page(500)
  expect(text).toHaveLength(50_000)
  expect(sampled(text, ['seal'])).toBe(text)
})

test('of a longer one the first part is taken and those with the words, in their order, each from a line on', () => {
  const text = page(600, { 350: 'Seal', 250: 'a tern', 251: 'a tern' })
  const part = (number: number, from = 0) => text.slice(number * 2000 + from * 100, (number + 1) * 2000)
  expect(sampled(text, ['seal', 'tern'])).toBe(`${part(0)}\n\n${part(12, 1)}\n\n${part(17, 1)}`)
  expect(sampled(text, [])).toBe(part(0))
})

test('parts that follow one another are not cut', () => {
  const text = page(600, { 30: 'seal', 50: 'seal' })
  expect(sampled(text, ['seal'])).toBe(text.slice(0, 6000))
})

test.each([[['sea', 'seal']], [['seal', 'sea']]])(
  'where %j are in more parts than may be taken, the rare one leads',
  (words) => {
    const everywhere = Object.fromEntries(Array.from({ length: 600 }, (_, line) => [line, 'sea']))
    const found = sampled(page(600, { ...everywhere, 590: 'sea seal' }), words)
    expect(found.match(/seal/g)).toHaveLength(1)
    // 25 parts, of which the last follows no other, and loses the line that is cut.
    expect(found).toHaveLength(50_000 - 98)
  },
)

test('what lies behind a million characters is not looked at', () => {
  const text = page(10_100, { 9990: 'tern', 10050: 'seal' })
  expect(sampled(text, ['seal'])).toBe(text.slice(0, 2000))
  expect(sampled(text, ['tern'])).toContain('tern')
})
