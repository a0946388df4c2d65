import { expect, test } from 'bun:test'
import { blocksOf } from '../../../src/extract/blocks/blocks.ts'
import { chooseBlocks } from '../../../src/extract/blocks/choose.ts'
import { evenRows } from '../../../src/extract/blocks/even-rows.ts'
import { keepOnly } from '../../../src/extract/blocks/keep-only.ts'
import { likeliest, scoresIn, sharesOf } from '../../../src/extract/blocks/models.ts'
import { roughMarkdown } from '../../../src/extract/blocks/rough-markdown.ts'
import { parseTree, probability } from '../../../src/extract/blocks/trees.ts'
import { documentOf } from '../../../src/extract/document.ts'
import { pageKinds } from '../../../src/page.ts'

const say = (count: number, word = 'bees') => Array.from({ length: count }, () => word).join(' ')
const blocksIn = (html: string) => blocksOf(documentOf(`<html><body>${html}</body></html>`).body, new Map())

/** The first words of what is chosen, where a block is as likely as its first word says in hundredths. */
function chosenIn(html: string, { isArticle = false, share = 1 } = {}): string {
  const blocks = blocksIn(html)
  const likely = Float32Array.from(blocks, ({ text }) => Number(/^\d+/.exec(text)?.[0] ?? 0) / 100)
  const chosen = chooseBlocks(blocks, likely, isArticle, share)
  return blocks
    .filter((block) => chosen.has(block))
    .map(({ text }) => text.split(' ').slice(0, 2).join(''))
    .join(' ')
}

const p = (chance: number, name: string, words = 50) => `<p>${chance} ${name} ${say(words - 2)}</p>`

test('as many of the likeliest blocks are chosen as make the words right, and fewer of an article', () => {
  const page = p(90, 'a') + p(10, 'b') + p(70, 'c') + p(40, 'd') + p(0, 'e')
  expect(chosenIn(page)).toBe('90a 70c 40d')
  expect(chosenIn(page, { isArticle: true })).toBe('90a 70c')
  expect(chosenIn(page, { isArticle: true, share: 0 })).toBe('90a 70c 40d')
  expect(chosenIn(p(50, 'a') + p(50, 'b'))).toBe('50a 50b')
})

test('a page of 60 words is content as a whole, but for what its elements say is none, and links', () => {
  const rest = `<nav>0 menu</nav><footer>0 end</footer><div><a href="/x">0 link</a></div>`
  expect(chosenIn(`${rest}${p(0, 'a', 26)}${p(90, 'b', 28)}`)).toBe('0a 90b')
  expect(chosenIn(`${rest}${p(0, 'a', 27)}${p(90, 'b', 28)}`)).toBe('90b')
  expect(chosenIn(`${p(0, 'a', 9)}<div role="dialog">${p(99, 'b', 60)}</div>`)).toBe('0a')
})

test('of an article, paragraphs that are nothing but a link are left out, unless they are much of it', () => {
  const lead = (words: number, linked: number, around = 'p') =>
    `<${around}>90 lead ${say(words - linked - 2)} <a href="/x">${say(linked)}</a></${around}>`
  const isArticle = true
  expect(chosenIn(p(90, 'a', 100) + lead(30, 27), { isArticle })).toBe('90a')
  expect(chosenIn(p(90, 'a', 100) + lead(30, 26), { isArticle })).toBe('90a 90lead')
  expect(chosenIn(p(90, 'a', 100) + lead(30, 27))).toBe('90a 90lead')
  for (const around of ['h2', 'li', 'table'])
    expect(chosenIn(p(90, 'a', 100) + lead(30, 27, around), { isArticle })).toBe('90a 90lead')
  expect(chosenIn(p(90, 'a', 71) + lead(29, 27), { isArticle })).toBe('90a')
  expect(chosenIn(p(90, 'a', 70) + lead(30, 27), { isArticle })).toBe('90a 90lead')
})

test('what a page hides is not chosen, unless it is much of the page, nor are buttons that ask nothing', () => {
  const hide = (words: number, shown: number) => chosenIn(`<div hidden>${p(90, 'a', words)}</div>${p(90, 'b', shown)}`)
  expect(hide(30, 70)).toBe('90b')
  expect(hide(31, 69)).toBe('90a 90b')
  const button = (text: string) => chosenIn(`${p(90, 'b', 99)}<button>${text}</button>`)
  expect([button('90 a c d e'), button('90 a c d e?'), button('90 a c d e f')]).toEqual(['90b', '90b 90a', '90b 90a'])
})

test('a small table is content or not as a whole, a large one by its rows, and one that arranges a page by its blocks', () => {
  const evened = (html: string) => {
    const blocks = blocksIn(html)
    const likely = Float32Array.from(blocks, ({ text }) => Number(/^\d+/.exec(text)?.[0] ?? 0) / 100)
    return [...evenRows(blocks, likely)].map((chance) => Math.round(chance * 100)).join(' ')
  }
  const row = (first: string, second: string) => `<tr><td>${first}</td><td>${second}</td></tr>`
  const table = (...rows: readonly string[]) => `<table>${rows.join('')}</table>`
  expect(evened(`<p>70 a</p>${table(row('10 a', '50 b'), row('90 c d', '30'))}`)).toBe('70 52 52 52 52')
  expect(evened(table(row('10 a', `50 ${say(9)}`), row(`90 ${say(11)}`, `30 ${say(23)}`)))).toBe('48 48 48 48')
  // More than twelve words in a cell.
  expect(evened(table(row('10 a', `50 ${say(9)}`), row(`90 ${say(11)}`, `30 ${say(24)}`)))).toBe('43 43 49 49')
  // More than 400 words.
  const many = (words: number) =>
    table(...Array.from({ length: 39 }, () => row('10 a b c d', '50 a b c d')), row('90 a b c d', `30 ${say(words)}`))
  expect(evened(many(4)).split(' ').at(-1)).toBe('31')
  expect(evened(many(5)).split(' ').at(-1)).toBe('57')
  // A row of more than 60 words arranges a page, and cells may hold four elements.
  expect(evened(table(row(`10 ${say(29)}`, `50 ${say(29)}`)))).toBe('30 30')
  expect(evened(table(row(`10 ${say(29)}`, `50 ${say(30)}`)))).toBe('10 50')
  const deep = (levels: number) => table(row(`${'<div>'.repeat(levels)}10 a${'</div>'.repeat(levels)}`, '50 b'))
  expect([evened(deep(3)), evened(deep(4))]).toEqual(['30 30', '10 50'])
})

test('rough Markdown has rows of tables in lines, marks of headings, items and code, and what was chosen alone', () => {
  const blocks =
    blocksIn(`<h2>Bees</h2><p>Hum.</p><p>Left out.</p><ul><li>One</li><li>Two</li></ul><pre>a <b>b</b>\n c</pre>
    <table><tr><td>Kind</td><td>Legs</td></tr><tr><td>Bee</td><td>6</td></tr></table><table><tr><td>Other</td></tr></table><p>End</p>`)
  const chosen = new Set(blocks.filter(({ text }) => text !== 'Left out.'))
  expect(roughMarkdown({ kind: 'article', blocks, chosen })).toBe(
    '\n\n## Bees\n\nHum.\n\n- One\n\n- Two\n\n```\na b\n c\n```\n\nKind | Legs\nBee | 6\n\nOther\n\nEnd',
  )
})

test('a tree asks one question after another, and trees add up to a probability', () => {
  const tree = parseTree('1:0.5 =1000 0:2 =-2000 =3000')
  const at = (first: number, second: number) =>
    Math.log(1 / probability([tree], Float32Array.from([9, first, second]), 1, 0) - 1)
  expect([at(0, 0.5), at(2, 1), at(3, 1)].map((each) => Math.round(-each * 1000))).toEqual([1000, -2000, 3000])
  const single = parseTree('=500')
  expect(probability([single, tree], Float32Array.from([0, 0]), 0, -1.5)).toBeCloseTo(0.5, 5)
  expect(probability([parseTree('')], Float32Array.from([0]), 0, 0)).toBe(0.5)
})

test('the kinds of a page have shares of one, and the likeliest is its kind', () => {
  const shares = sharesOf(
    [
      { bias: 0, trees: [] },
      { bias: Math.log(3), trees: [] },
    ],
    new Float32Array(),
  )
  expect(shares.map((share) => Math.round(share * 100))).toEqual([40, 60])
  expect([likeliest([0.9, 0.1]), likeliest([0.1, 0.9])]).toEqual([...pageKinds.slice(0, 2)])
  expect([...scoresIn('a:2.5 b:c:-1')]).toEqual([
    ['a', 2.5],
    ['b:c', -1],
  ])
})

test('of a document what was chosen is left, with the pictures in it and just behind, and no links that were emptied', () => {
  const left = (html: string, isChosen = (text: string) => text.startsWith('KEEP')) => {
    const { body } = documentOf(`<html><body>${html}</body></html>`)
    const blocks = blocksOf(body, new Map())
    keepOnly({ kind: 'article', blocks, chosen: new Set(blocks.filter(({ text }) => isChosen(text))) })
    return body.innerHTML.replace(/<(?:p|div)>\s*<\/(?:p|div)>/g, '')
  }
  expect(left('<p>KEEP <b>it</b></p><p>drop <b>it</b></p>')).toBe('<p>KEEP <b>it</b></p><p><b></b></p>')
  expect(left('<p><a href="/x">drop</a></p><p><a href="/y"></a>KEEP</p>')).toBe('<p><a href="/y"></a>KEEP</p>')
  expect(left('<p><a href="/x">drop <img src="a"></a> b</p>').includes('<a')).toBe(false)
  expect(left('<p>KEEP</p><p><a href="/x"><img src="a">drop</a></p>')).toBe('<p>KEEP</p>')
  expect(left('<div><p>KEEP</p><a href="/x"><img src="a"></a><p>drop</p></div>')).toBe('<div><p>KEEP</p></div>')
  expect(left('<div><p>KEEP</p><img src="a"><p>drop</p></div>')).toBe('<div><p>KEEP</p><img src="a"></div>')
  expect(left('<section><div><p>KEEP</p></div><img src="a"><p>drop</p></section>')).toContain('<img')
  expect(left('<section><p>KEEP</p></section><div><img src="a"><p>drop</p></div>')).not.toContain('<img')
  expect(left('<div><img src="a"><p>drop</p></div>')).not.toContain('<img')
  // A link around a block of up to eight levels.
  const deep = (levels: number) =>
    left(`<a href="/x">${'<i>'.repeat(levels)}drop${'</i>'.repeat(levels)}</a><p>KEEP</p>`).includes('<a')
  expect([deep(7), deep(8)]).toEqual([false, true])
  const beside = (levels: number) =>
    left(`<div>${'<i>'.repeat(levels)}KEEP${'</i>'.repeat(levels)}<br><br><img src="a"><p>drop</p></div>`).includes(
      '<img',
    )
  expect([beside(7), beside(8)]).toEqual([true, false])
})
