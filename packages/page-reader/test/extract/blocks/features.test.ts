import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sha256 } from '@csp/lib/bytes'
import { blocksOf } from '../../../src/extract/blocks/blocks.ts'
import { featuresOf } from '../../../src/extract/blocks/features.ts'
import { kindFeatures } from '../../../src/extract/blocks/kind-features.ts'
import { scoresIn } from '../../../src/extract/blocks/models.ts'
import { signsOf } from '../../../src/extract/blocks/signs.ts'
import { documentOf } from '../../../src/extract/document.ts'

// The weights know the numbers that pages gave when they were trained. What gives others here asks for a training
// (bench/quality/train.ts), and for the digests that this test then prints.

const names = scoresIn('content:2 article:1.5 post:1 body:0.5 text:0.25 menu:-2 sidebar:-1.5 share:-1 ad:-0.5 late:9')
const words = scoresIn('reply:-1 cookies:-2 read:-0.5 bees:1 hum:0.5 more:-1.5 price:-0.25 honey:0.75')

const say = (count: number, word = 'bees') =>
  Array.from({ length: count }, (_, at) => (at % 7 ? 'hum' : word)).join(' ')
const link = (text: string) => `<a href="/x">${text}</a>`
const counts = [1, 5, 6, 11, 12, 13, 24, 25, 26, 59, 60, 61]
const long = 'content-of-the-page '.repeat(4)

/** A page with something for each of the features, at their limits and beyond. */
const everything = `<!doctype html><html class="no-js docs" id="root"><head>
  <title>Why bees hum: a guide, and the price of honey ${'x'.repeat(280)} forum</title>
  <meta name="description" content="Bees hum ${'y'.repeat(320)}"><meta name="description" content="Another">
  <meta property="og:type" content="Article"><meta property="og:url" content="https://Forum.bees.example/Products/2026/05/Why-bees-hum?a=1#b">
  <meta name="generator" content="Discourse"><meta name="author" content="Ann"><meta property="article:published_time" content="2026-05-04">
  <script type="application/ld+json">{"@graph":[{"@type":["NewsArticle","schema:Report"],"author":{"@type":"Person"}},[{"@type":"https://schema.org/Product","offers":[{"@type":"Offer"}]}]],"@type":7}</script>
  <script type="application/ld+json">${JSON.stringify(Array.from({ length: 210 }, (_, at) => ({ '@type': at > 195 ? 'Event' : 'Question' })))}</script>
  ${'<script type="application/ld+json">{"@type":"FAQPage"}</script>'.repeat(20)}</head>
<body class="single-post ${'wide '.repeat(190)} home" id="top">
  <nav class="menu"><ul><li>${link('Home')}<li>${link('Bees and more')}<li>Nothing</ul></nav>
  <header role="banner"><h1>Bees of the sea</h1><p>${link('Log in')} or read</p></header>
  <ul class="breadcrumb"><li>${link('Home')}</ul>
  <main id="content"><article class="post articleBody-text">
    <h1>Why bees <b>hum</b>, a guide to honey</h1><img src="/a.png"><time>4 May 2026</time>
    ${counts.map((count) => `<p>${say(count)}</p>`).join('')}
    ${counts.map((count) => `<p>${say(20)} ${link(say(count))}</p>`).join('')}
    <h2>Their sound, and why it is</h2>
    <p>One line<br>goes on<br><br>and another begins <img src="/b.png"> here<span class="share">, shared</span></p>
    <p>${'It is said, of bees; that they hum: often. '.repeat(12)}2026 1, 2, 3</p>
    <p>${'It is said, of bees; that they hum: often. '.repeat(12)}2026 4, 5, 6</p>
    <p>${'Words without an end '.repeat(110)} ${'a, b, c, '.repeat(40)}</p>
    <p>${say(12)}</p><p>${say(12)}</p>
    <h3 class="ad">A word</h3><pre>
  <code><span>let</span> <span>bee</span> = <b>1</b></code></pre>
    <blockquote><p>They said: &ldquo;Hum.&rdquo;</p></blockquote>
    <table><caption>Bees</caption><tr><th>Kind</th><th>Legs</th></tr>${`<tr><td>${say(2)}</td><td>${link('6')}</td></tr>`.repeat(4)}</table>
    <div class="tab panel" hidden><p>${say(30)}</p></div><div style="display:none"><p>${say(14)}</p></div>
    <div style="${'color:red;'.repeat(60)}display:none"><p>${say(15)}</p></div><span hidden>${say(3)}</span>
    <p>Add to cart for $ 5, a price</p><p>Reply, and quote</p><p>Read more</p><p>By Ann, 4 May 2026</p><p>Get started</p>
    <p>Filter and sort by size</p><p>Edit this page</p><p>Apply now</p><p>${say(10)} $ 7</p><p>${say(11)} $ 7</p><p>${say(12)} $ 7</p>
  </article></main>
  <div class="${'a'.repeat(190)} content late" id="${'b'.repeat(196)} late"><p>${say(8)}</p></div>
  <section>${['one', 'two', 'three', 'four'].map((name) => `<div class="${long}${name}"><p>${say(16)}</p>${link('Read')}</div>`).join('')}</section>
  <section>${`<div class="card">${say(9)}${link(say(4))}</div>`.repeat(3)}<div class="card">${'hum '.repeat(90)}</div></section>
  <div id="comments"><div class="comment" role="article">${say(18)}</div><div class="respond">Reply</div></div>
  <div class="late">日本語の文章は、空白がなく、言葉を数えるのが難しいです。</div>
  <ol class="breadcrumb"><li>${link('Home')}</ol><div class="${'z'.repeat(205)} comment"><p>${say(7)}</p></div>
  <p>${link('Terms\u00a0of use ')} and <a name="x">${say(4)}</a></p>
  ${['role="tabpanel"', 'role="region"', 'id="faq-1"'].map((attribute) => `<div hidden ${attribute}><p>${say(14)}</p></div>`).join('')}
  <section>${`<div class="pair">${say(17)}</div>`.repeat(2)}</section>
  <form><label>Name</label><input><textarea>None</textarea><select><option>A</select><button>Send it now</button></form>
  <aside role="complementary" aria-hidden="true"><p>${say(13)}</p></aside><details><summary>More?</summary>${say(12)}</details>
  <div role="dialog">We use cookies</div><div itemscope itemtype="https://schema.org/Book">A book<time>x</time></div>
  <noscript><p>Enable scripts</p></noscript><footer class="sidebar"><p>Imprint ${link('Terms of use and more')}</p></footer>
</body></html>`

const pages = new Map([
  ['everything', everything],
  ['nothing', '<p>Bees</p>'],
  ['no heading', `<body><div><div><p>${say(40)}</p></div><p>${say(3)}</p></div></body>`],
  ['no title', `<html><body><h1>A</h1><p>${say(30)}</p><h2>B</h2><p>${say(30)}</p><h1>C</h1></body></html>`],
  ...['article', 'docs', 'forum', 'list', 'shop', 'wikipedia'].map(
    (name) => [name, readFileSync(new URL(`../kept/${name}.html`, import.meta.url), 'utf8')] as const,
  ),
])

/** Equal for numbers that are equal as far as runtimes calculate them. */
const digestOf = async (value: unknown) =>
  (
    await sha256(JSON.stringify(value, (_, each) => (typeof each === 'number' ? Number(each.toPrecision(5)) : each)))
  ).slice(0, 8)

/** Of the blocks, the signs, the numbers of the page and those of its blocks. */
const digests: Readonly<Record<string, string>> = {
  everything: 'f41371df 02b12678 b1761d3c c45e8ea8',
  nothing: '47331716 e36de1af 9a60b65e 6e0bb1ab',
  'no heading': 'd294f6a6 b0c39c41 88f809f8 1336aa93',
  'no title': '2e6c2adb 4c601599 9e1e26e0 b45d723c',
  article: '771f05a7 2e8931bb d7f9d12d bd1af4fe',
  docs: '1eea6354 791131b5 120dc680 fe440bcd',
  forum: 'a01b3a24 ff7f827d e1d1f761 444a354a',
  list: '4e250538 61b579ae 6fd57e43 de87129d',
  shop: '841132de 630d8b99 c8d5e1ba 59450044',
  wikipedia: '1c50f07f 3c140e51 1fc88c48 05b9fcd7',
}

describe.each([...pages])('of the page %s', (name, html) => {
  test('the numbers are those that the weights know', async () => {
    const document = documentOf(html)
    const blocks = blocksOf(document.body, names)
    const signs = signsOf(document, `https://kept.example/blog/${name}.html`)
    const facts = { kinds: [0.1, 0.2, 0.7], title: signs.title, description: signs.description }
    const { rows, width } = featuresOf(blocks, facts, words)
    expect(rows).toHaveLength(blocks.length * width)
    const said = blocks.map((block) => [
      block.text,
      block.words,
      block.linkedWords,
      block.said,
      block.nodes.length,
      block.pictures.length,
    ])
    expect(
      [
        await digestOf(said),
        await digestOf(signs),
        await digestOf(kindFeatures(signs, blocks)),
        await digestOf([...rows]),
      ].join(' '),
    ).toBe(digests[name] ?? '')
  })
})
