import { describe, expect, test } from 'bun:test'
import { cleanElement, linksIn, removeBlanks, webAddress } from '../../src/extract/clean-html.ts'
import { baseOf, documentOf } from '../../src/extract/document.ts'
import { languageOf, line, metadataOf } from '../../src/extract/metadata.ts'
import { structuredData } from '../../src/extract/structured-data.ts'

const url = 'https://bees.example/a/page'
const about = (head: string, body = '') => {
  const html = `<html><head>${head}</head><body>${body}</body></html>`
  return metadataOf(documentOf(html), html, url)
}
const jsonLd = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`

test('a line has so many characters at most, and no half of one', () => {
  expect([line('a'.repeat(10), 10), line('a'.repeat(11), 10)]).toEqual(['a'.repeat(10), `${'a'.repeat(9)}…`])
  expect(line(`${'a'.repeat(8)}🐝bees`, 10)).toBe(`${'a'.repeat(8)}…`)
  expect(line(`${'&amp;'.repeat(8)}bees`, 10)).toBe('&'.repeat(8))
  expect([line(undefined, 10), line(' \n', 10), line(' a \n b ', 10)]).toEqual([undefined, undefined, 'a b'])
})

test('a language is the first that is one', () => {
  expect(languageOf(undefined, '', 'x y', ' de_ch , en', 'fr')).toBe('de-CH')
  expect(languageOf(`${' '.repeat(98)}de`)).toBe('de')
  expect(languageOf(`${' '.repeat(99)}de`)).toBeUndefined()
  expect(languageOf()).toBeUndefined()
})

describe('what a page says of itself', () => {
  test('is in the first meta element of a name that says something, however the name is written', () => {
    const metas = `<meta name=" Author " content=" "><meta name="AUTHOR" content=" Ann "><meta name="author" content="Ben">
      <meta property="og:description" content="In short."><meta name="description" content="At length."><meta http-equiv=" Content-Language " content="de">
      <meta itemprop="datemodified" content="2026-06-01"><meta name="twitter:image" content="/b.png"><meta name="application-name" content="Hive">`
    expect(about(metas)).toMatchObject({
      ...{ author: 'Ann', description: 'In short.', language: 'de', modifiedAt: '2026-06-01', siteName: 'Hive' },
      image: 'https://bees.example/b.png',
    })
  })

  test('is in its JSON-LD first, but for what is shown of a link to it', () => {
    const data = {
      '@type': 'Article',
      headline: 'Said',
      description: 'Said.',
      author: 'Ann',
      publisher: 'Said',
      image: '/said.png',
      dateModified: '2026-06-02',
      inLanguage: 'fr',
    }
    const metas = `<meta property="og:title" content="Meta"><meta name="description" content="Meta."><meta name="author" content="Meta">
      <meta property="og:site_name" content="Meta"><meta property="og:image" content="/meta.png"><meta name="last-modified" content="2026-06-01">`
    expect(about(metas + jsonLd(data))).toMatchObject({
      ...{
        title: 'Said',
        description: 'Meta.',
        author: 'Ann',
        siteName: 'Meta',
        image: 'https://bees.example/meta.png',
      },
      ...{ modifiedAt: '2026-06-02', language: 'fr' },
    })
    expect(about(jsonLd(data))).toMatchObject({
      description: 'Said.',
      siteName: 'Said',
      image: 'https://bees.example/said.png',
    })
  })

  test('is else in its title or its heading, and an author is no address', () => {
    const long = 'a'.repeat(1001)
    const whole = about(
      `<title>${long}</title>${['description', 'author', 'og:site_name'].map((name) => `<meta name="${name}" content="${long}">`).join('')}`,
    )
    expect([whole.title, whole.description, whole.author, whole.siteName].map((text) => text?.length)).toEqual([
      500, 1000, 200, 200,
    ])
    expect(about('<title></title>', '<svg><title>Icon</title></svg><h1>Heading</h1>').title).toBe('Heading')
    expect(about('<title>Title</title>', '<h1>Heading</h1>').title).toBe('Title')
    expect(about('<meta name="author" content="https://social.example/ann">').author).toBeUndefined()
  })

  test('is its language in its root first', () => {
    const languageIn = (root: string, head: string) => {
      const html = `<html ${root}><head>${head}</head><body></body></html>`
      return metadataOf(documentOf(html), html, url).language
    }
    const meta = '<meta http-equiv="content-language" content="fr">'
    expect([languageIn('lang="de-AT"', meta), languageIn('', meta), languageIn('', '')]).toEqual([
      'de-AT',
      'fr',
      undefined,
    ])
  })

  test('has a date of its last change in its text alone', () => {
    expect(about('', '<h1>Bees</h1><b itemprop="dateModified" content="2026-06-03">June</b>').modifiedAt).toBe(
      '2026-06-03',
    )
  })
})

test('the things of a graph are those of its page', () => {
  const graph = {
    '@type': 'Thing',
    headline: 'Graph',
    datePublished: '2026-05-04',
    '@graph': [{ '@type': 'Article', headline: 'Bees' }],
  }
  const titleOf = (value: unknown) => about(`<title>Page</title>${jsonLd(value)}`).title
  expect([graph, [7, null, 'x', graph], { ...graph, '@graph': {} }, null, 'x'].map(titleOf)).toEqual([
    'Bees',
    'Bees',
    'Graph',
    'Page',
    'Page',
  ])
})

test('JSON-LD of twenty scripts and 200 things is read, with ten names each', () => {
  const data = (head: string) => structuredData(documentOf(`<html><head>${head}</head><body></body></html>`))
  const article = { '@type': 'Article', headline: 'Bees' }
  expect(data('<script type="application/ld+json">{}</script>'.repeat(19) + jsonLd(article)).title).toBe('Bees')
  expect(data('<script type="application/ld+json">{}</script>'.repeat(20) + jsonLd(article)).title).toBeUndefined()
  const behind = (count: number) =>
    data(jsonLd([...Array.from({ length: count }, () => ({ '@type': 'Thing' })), article])).title
  expect([behind(199), behind(200)]).toEqual(['Bees', undefined])
  const names = Array.from({ length: 11 }, (_, at) => (at === 3 ? '' : `N${at}`))
  expect(data(jsonLd({ ...article, author: names })).author).toBe('N0, N1, N2, N4, N5, N6, N7, N8, N9, N10')
  expect(data(jsonLd({ ...article, author: [...names, 'N11'] })).author).toEndWith('N10')
  // What is no article counts where it has a date.
  expect(
    data(
      jsonLd([
        { '@type': 'Thing', headline: 'A' },
        { '@type': 'Thing', headline: 'B', datePublished: '2026-05-04' },
      ]),
    ).title,
  ).toBe('B')
  expect(data(jsonLd([{ '@type': 'Thing', headline: 'B', datePublished: '2026-05-04' }, article])).title).toBe('Bees')
})

describe('a document', () => {
  const codeOf = (html: string) => {
    try {
      documentOf(html)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }

  test('has 400 levels at most', () => {
    const deep = (levels: number) => codeOf(`<html><body>${'<div>'.repeat(levels - 1)}</body></html>`)
    expect([deep(400), deep(401)]).toEqual([undefined, 'The elements of the page are nested too deeply to read.'])
  })

  test('has 100,000 elements at most', () => {
    // Its root, head and body are elements as well.
    const wide = (elements: number) =>
      codeOf(`<html><head></head><body>${'<p></p>'.repeat(elements - 3)}</body></html>`)
    expect([wide(100_000), wide(100_001)]).toEqual([undefined, 'The page has too many elements to read.'])
  }, 60_000)

  test('has in its head what belongs there, and all else in its body, wherever a page puts it', () => {
    const placed = (html: string) => {
      const { head, body } = documentOf(html)
      return [head.innerHTML, body.innerHTML].map((text) => text.replace(/\s+/g, ' ').trim())
    }
    expect(placed('<html><p>a</p><head><meta name="b"></head><body>c</body></html>')).toEqual([
      '<meta name="b">',
      '<p>a</p>c',
    ])
    expect(
      placed('<html><head><title>T</title>a<!-- b --><script></script><p>c</p><link></head><body>d</body></html>'),
    ).toEqual(['<title>T</title>a<script></script>', '<p>c</p><link>d'])
    expect(placed('<html><head><p>a</p></head><body>b</body></html>')).toEqual(['', '<p>a</p>b'])
    expect(placed('<!DOCTYPE html><body>a')).toEqual(['', 'a'])
  })

  test('has its late parts in their places, 300 at most', () => {
    const late = (parts: number) =>
      documentOf(
        `<html><body>${Array.from({ length: parts }, (_, at) => `<template id="B:${at}"></template>`).join('')}<hr>${Array.from({ length: parts }, (_, at) => `<div hidden id="S:${at}">${at}</div>`).join('')}</body></html>`,
      )
    const shown = (parts: number) => {
      const { body } = late(parts)
      return [body.querySelectorAll('template').length, body.querySelectorAll('[hidden]').length]
    }
    expect([shown(300), shown(301)]).toEqual([
      [0, 0],
      [1, 1],
    ])
    const inItself = documentOf('<html><body><div hidden id="S:0">a<template id="B:0"></template></div></body></html>')
    expect(inItself.querySelector('div')?.hasAttribute('hidden')).toBe(false)
    expect(inItself.querySelector('template')).not.toBeNull()
  })

  test('begins its links at its base, or where it stands', () => {
    const base = (tag: string) => baseOf(documentOf(`<html><head>${tag}</head><body></body></html>`), url)
    expect([base('<base href="/deep/">'), base('<base href="http://">'), base('')]).toEqual([
      'https://bees.example/deep/',
      url,
      url,
    ])
  })
})

describe('cleaned HTML', () => {
  const cleaned = (html: string, isChosen = false) => {
    const { body } = documentOf(`<html><body>${html}</body></html>`)
    cleanElement(body, url, isChosen)
    return body.innerHTML
  }

  test.each([
    ['<p class="x" lang="de" onclick="y">a</p>', '<p lang="de">a</p>'],
    [
      '<pre class="x">a</pre><code class="language-ts" id="y">b</code>',
      '<pre class="x">a</pre><code class="language-ts">b</code>',
    ],
    ['<a href="../b" title="t">a</a><a name="x">b</a>', '<a href="https://bees.example/b" title="t">a</a>b'],
    ['<img src="/b.png" alt="a"><img alt="b"><img href="/c">', '<img src="https://bees.example/b.png" alt="a">'],
    ['<div src="/a" href="/b">a</div>', '<div>a</div>'],
    ['<a href="#x">a</a><a href=" #y">b</a>', 'ab'],
    ['<dl><dt>a</dt><dd>b</dd></dl>', '<div><p>a</p><p>b</p></div>'],
    ['<center>a <font>b</font></center>', 'a b'],
    ['<p aria-hidden="true">a</p><p aria-hidden="false">b</p>', '<p>b</p>'],
    ['<p style="visibility: hidden">a</p><p style="display:none">b</p>c', 'c'],
    ['<p hidden>a</p><button>b</button><script>c</script>d', 'd'],
  ])('of %s is %s', (html, clean) => expect(cleaned(html)).toBe(clean))

  test('of what was chosen has what its page hides or folds, and no scripts', () => {
    expect(cleaned('<p style="display:none">a</p><button>b</button><script>c</script>', true)).toBe('<p>a</p>b')
  })

  test('has nothing that shows nothing', () => {
    const { body } = documentOf(
      '<html><body><p> <b></b></p><ul><li><br></li><li>a</li></ul><table><tr><td></td><td>b</td></tr></table><hr><p><img src="x"></p><h2>a<br>b</h2><p>c<br>d</p></body></html>',
    )
    removeBlanks(body)
    expect(body.innerHTML).toBe(
      '<ul><li>a</li></ul><table><tr><td></td><td>b</td></tr></table><hr><p><img src="x"></p><h2>a b</h2><p>c<br>d</p>',
    )
  })

  test('has a thousand links at most, each once', () => {
    const links = (count: number) =>
      linksIn(
        documentOf(
          `<html><body>${Array.from({ length: count }, (_, at) => `<a href="/${at}">a</a><a href="/${at}">b</a>`).join('')}</body></html>`,
        ).body,
      )
    expect([links(2), links(1000).length, links(1001).length]).toEqual([['/0', '/1'], 1000, 1000])
  })

  test('leads to the web alone', () => {
    const addresses = [' /b ', '#x', ' #x', 'mailto:a@b.example', 'https://a:b@c.example/', 'http://']
    expect(addresses.map((address) => webAddress(address, url))).toEqual([
      'https://bees.example/b',
      ...Array(5).fill(undefined),
    ])
  })
})

test.each([
  ['<a rel="author" href="/a">View all posts by Ada Love</a>', 'Ada Love'],
  ['<span class="post-author">By <a href="/a">Ada Love</a> -</span>', 'Ada Love'],
])('an author is named without the words of the link, nor a line behind: %s', (body, author) => {
  expect(about('', `<p>Words</p>${body}`).author).toBe(author)
})
