import { expect, test } from 'bun:test'
import { cleanSnippet, cleanTitle, plainSnippet } from '../src/snippet.ts'

test.each([
  ['Lamps &amp;\n towers', 'Lamps & towers'],
  [' \u200b\n', 'lamps.example'],
])('the title %j is %s', (title, shown) => expect(cleanTitle(title, 'https://lamps.example/a')).toBe(shown))

test.each([
  ['a <b>lamp</b> &amp; a tower', 'a lamp & a tower'],
  ['&lt;script&gt;a lamp', 'a lamp'],
  ['“A lamp.”', 'A lamp.'],
  ['See [the lamp](https://lamps.example/a_(b)) at https://lamps.example.', 'See the lamp at'],
  ['**A** `lamp`, _lit_ in snake_case', 'A lamp, lit in snake_case'],
  ['N/A', undefined],
  ['…', undefined],
])('the excerpt %s is %s', (html, plain) => expect(cleanSnippet(html)).toBe(plain as string))

test('an excerpt without entities is left as it is, and cut at a word', () => {
  expect(plainSnippet('a &amp; b')).toBe('a &amp; b')
  expect(plainSnippet('lamp '.repeat(200))).toMatch(/^(?:lamp ){99}lamp…$/)
})
