import { type StructureCase, url } from './case.ts'
import { around, news, page, texts } from './pages.ts'

type ListKind = readonly [
  html: string,
  items: readonly (readonly [string, number, string])[],
  fences?: readonly { readonly lang: string; readonly code: string }[] | undefined,
  has?: readonly string[],
]
const listKinds: Readonly<Record<string, ListKind>> = {
  nested: [
    '<ul><li>ropes<ul><li>hemp</li><li>nylon<ul><li>braided</li></ul></li></ul></li><li>anchors</li></ul>',
    [
      ['-', 0, 'ropes'],
      ['-', 1, 'hemp'],
      ['-', 1, 'nylon'],
      ['-', 2, 'braided'],
      ['-', 0, 'anchors'],
    ],
  ],
  ordered: [
    '<ol><li>Open the valve.</li><li>Wait a minute.</li><li>Close it.</li></ol>',
    [
      ['1', 0, 'Open the valve.'],
      ['2', 0, 'Wait a minute.'],
      ['3', 0, 'Close it.'],
    ],
  ],
  start: [
    '<ol start="4"><li>Open the valve.</li><li>Close it.</li></ol>',
    [
      ['4', 0, 'Open the valve.'],
      ['5', 0, 'Close it.'],
    ],
  ],
  value: [
    '<ol><li value="7">Open the valve.</li><li>Close it.</li></ol>',
    [
      ['7', 0, 'Open the valve.'],
      ['8', 0, 'Close it.'],
    ],
  ],
  mixed: [
    '<ol><li>First<ul><li>of these</li><li>of those</li></ul></li><li>Second</li></ol>',
    [
      ['1', 0, 'First'],
      ['-', 1, 'of these'],
      ['-', 1, 'of those'],
      ['2', 0, 'Second'],
    ],
  ],
  badNesting: [
    '<ul><li>ropes</li><ul><li>hemp</li></ul><li>anchors</li></ul>',
    [
      ['-', 0, 'ropes'],
      ['-', 1, 'hemp'],
      ['-', 0, 'anchors'],
    ],
  ],
  paragraphs: [
    '<ul><li><p>The first of them.</p><p>It has two paragraphs of its own.</p></li><li><p>The second of them.</p></li></ul>',
    [
      ['-', 0, 'The first of them.'],
      ['-', 0, 'The second of them.'],
    ],
  ],
  codeIn: [
    '<ol><li>Run this:<pre><code>npm test\n  --watch</code></pre></li><li>Then deploy.</li></ol>',
    [
      ['1', 0, 'Run this:'],
      ['2', 0, 'Then deploy.'],
    ],
    [{ lang: '', code: 'npm test\n  --watch' }],
  ],
  task: [
    '<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" disabled checked> paint the hull</li><li class="task-list-item"><input type="checkbox" disabled> buy ropes</li></ul>',
    [
      ['x', 0, 'paint the hull'],
      ['o', 0, 'buy ropes'],
    ],
  ],
  dl: [
    '<dl><dt>Mole</dt><dd>A wall of stones in the sea.</dd><dt>Quay</dt><dd>Where boats are tied up.</dd></dl>',
    [],
    undefined,
    ['A wall of stones in the sea.', 'Where boats are tied up.'],
  ],
}
export function* listCases(): Generator<StructureCase> {
  for (const [kind, [html, items, fences, has]] of Object.entries(listKinds))
    for (const [name, ps] of Object.entries(texts))
      yield {
        set: 'lists',
        name: `list-${kind}-${name}`,
        url,
        html: page(around(ps, 2, html)),
        expect: { listTree: items, ...(fences ? { fences } : {}), ...(has ? { has } : {}) },
      }
}

const shown = [
  'backface-visibility:hidden',
  'opacity:1;transform:none;backface-visibility: hidden',
  '--footer-display: none',
  '--sidebar-visibility: hidden',
  'content-visibility:hidden',
  "background:url('/x?display:none')",
  'overflow:hidden',
  'visibility:visible',
  '-webkit-backface-visibility:hidden;backface-visibility:hidden',
  'transition:visibility 1s;display:block',
]
const unshown = [
  'display:none',
  'display :  none',
  'DISPLAY: NONE !important',
  'color:red;display:none',
  'visibility:hidden',
  'visibility : hidden;',
]
export function* styleCases(): Generator<StructureCase> {
  for (const [i, style] of shown.entries()) {
    yield {
      set: 'styles',
      name: `shown-one-${i}`,
      url,
      html: page(
        `${news.map((p, at) => (at === 2 ? `<section style="${style}"><p>${p}</p></section>` : `<p>${p}</p>`)).join('')}`,
      ),
      expect: { has: [(news[2] ?? '').slice(0, 60)] },
    }
    yield {
      set: 'styles',
      name: `shown-all-${i}`,
      url,
      html: page(`${news.map((p) => `<div style="${style}"><p>${p}</p></div>`).join('')}`),
      expect: { has: news.map((p) => p.slice(0, 60)) },
    }
  }
  for (const [i, style] of unshown.entries())
    yield {
      set: 'styles',
      name: `unshown-${i}`,
      url,
      html: page(
        `${news.map((p) => `<p>${p}</p>`).join('')}<div style="${style}"><p>You must sign in again to go on with your order.</p></div>`,
      ),
      expect: { hasNot: ['You must sign in again'] },
    }
}

const ldJson = (json: string) => `<script type="application/ld+json">${json}</script>`
const ld =
  '{"@context":"https://schema.org","@type":"NewsArticle","headline":"What we know about it","author":{"@type":"Person","name":"Anna Berg"}}'
const authorHeads = {
  'ld-plain': ldJson(ld),
  'ld-cdata': ldJson(`//<![CDATA[\n${ld}\n//]]>`),
  'ld-cdata2': ldJson(`<![CDATA[${ld}]]>`),
  'ld-cdata3': ldJson(`/*<![CDATA[*/${ld}/*]]>*/`),
  'ld-comma': ldJson(ld.replace('}}', '},}')),
  'ld-newline': ldJson(ld.replace('What we know', 'What we\nknow')),
  'ld-tab': ldJson(ld.replace('What we know', 'What\twe know')),
  'ld-comment': ldJson(`<!-- ${ld} -->`),
  'ld-type': `<script type="application/ld+json; charset=utf-8">${ld}</script>`,
  'ld-upper': `<script type="application/LD+JSON">${ld}</script>`,
  'ld-semicolon': ldJson(`${ld};`),
  'ld-entities': ldJson(ld.replaceAll('"', '&quot;')),
  'ld-mainEntity': ldJson(`{"@context":"https://schema.org","@type":"WebPage","mainEntity":${ld}}`),
  'ld-idref': ldJson(
    '{"@context":"https://schema.org","@graph":[{"@type":"Article","headline":"What we know","author":{"@id":"#p"}},{"@type":"Person","@id":"#p","name":"Anna Berg"}]}',
  ),
  byl: '<meta name="byl" content="By Anna Berg">',
  'article-author': '<meta property="article:author" content="Anna Berg">',
  dcterms: '<meta name="dcterms.creator" content="Anna Berg">',
  sailthru: '<meta name="sailthru.author" content="Anna Berg">',
  meta: '<meta name="author" content="Anna Berg">',
}
const authorBodies = {
  rel: '<p>By <a rel="author" href="/staff/berg">Anna Berg</a></p>',
  itemprop: '<p>Written by <span itemprop="author" itemscope><span itemprop="name">Anna Berg</span></span></p>',
  itemprop2: '<p><span itemprop="author">Anna Berg</span></p>',
  byline: '<div class="byline">By <span class="author">Anna Berg</span></div>',
  byline2: '<p class="byline">By Anna Berg</p>',
  authorName: '<div class="post-meta"><a class="author-name" href="/author/berg">Anna Berg</a></div>',
  vcard: '<span class="author vcard"><a class="url fn n" href="/author/berg">Anna Berg</a></span>',
  addressRel: '<address>By <a rel="author" href="/staff/berg">Anna Berg</a> on 3 May</address>',
}
const noAuthors = {
  comments: `<section class="comments"><h3>Comments</h3>${['Nice one, thanks a lot for writing it down.', 'I was there and saw it all.', 'When does the ferry leave now?'].map((t, i) => `<div class="comment"><span class="comment-author">User ${i}</span><p>${t}</p></div>`).join('')}</section>`,
  related:
    '<div class="related"><h3>More</h3><div class="card"><a href="/x">Another story</a><span class="author">Carl Dorn</span></div><div class="card"><a href="/y">A third story</a><span class="author">Eva Falk</span></div></div>',
  box: '<p>By <a rel="author" href="/staff">More from our staff</a></p>',
}
export function* authorCases(): Generator<StructureCase> {
  for (const [name, head] of Object.entries(authorHeads))
    yield {
      set: 'authors',
      name: `author-${name}`,
      url,
      html: page(news.map((p) => `<p>${p}</p>`).join(''), { head }),
      expect: { author: 'Anna Berg' },
    }
  for (const [name, line] of Object.entries(authorBodies))
    yield {
      set: 'authors',
      name: `author-${name}`,
      url,
      html: page(line + news.map((p) => `<p>${p}</p>`).join('')),
      expect: { author: 'Anna Berg' },
    }
  for (const [name, part] of Object.entries(noAuthors))
    yield {
      set: 'authors',
      name: `noauthor-${name}`,
      url,
      html: page(news.map((p) => `<p>${p}</p>`).join('') + part),
      expect: { author: null },
    }
}
