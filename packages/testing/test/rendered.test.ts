import { expect, test } from 'bun:test'
import { hostileMarkdown, plainProse } from '../src/hostile-markdown.ts'
import { liveMarkup, liveWhileWritten } from '../src/rendered.ts'

const readers = ['commonmark', 'markdown-it', 'markdown-it, linkify', 'remark', 'marked', 'marked 9']
const showdown = ['showdown 0', 'showdown 1', 'showdown 2']

test.each([
  ['a link', '[x](//evil.example/a)', 'link //evil.example/a'],
  ['an image', '![x](//evil.example/p.png)', 'image //evil.example/p.png'],
])('every reader sees %s', (_, text, found) => {
  const lines = (names: readonly string[]) => names.map((name) => `${name}: ${found}`).toSorted()
  expect(liveMarkup(text).toSorted()).toEqual(lines([...readers, ...showdown]))
  expect(liveWhileWritten(text).toSorted()).toEqual(lines(readers))
})

test('an element is seen, and one in code is not', () => {
  expect(liveMarkup('a <b onclick=x>').length).toBeGreaterThanOrEqual(readers.length)
  expect(liveMarkup('a `<b onclick=x>`')).toEqual([])
})

test('what a fence would render is seen in languages that clients render', () => {
  const fence = (language: string) => `\`\`\`${language}\n<img src="//evil.example/p.png">\n\`\`\``
  expect(liveMarkup(fence('html')).length).toBeGreaterThanOrEqual(readers.length)
  expect(liveMarkup(fence('sh'))).toEqual([])
})

test('nearly every disguise acts in some reader as it stands, and plain prose in none', () => {
  const names = Object.keys(hostileMarkdown)
  const quiet = names.filter((name) => liveMarkup(hostileMarkdown[name] ?? '').length === 0)
  // Some act only beside other text, or after a guard has taken something out.
  expect(quiet.length).toBeLessThan(names.length / 5)
  expect(plainProse.filter((text) => liveMarkup(text).length > 0)).toEqual([])
})
