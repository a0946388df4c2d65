import { hostileMarkdown, plainProse } from '@csp/testing/hostile-markdown'
import { Grounding } from '../src/grounding.ts'

const sources = [
  { url: 'https://www.example.com/a/', title: 'First page - Example News' },
  { url: 'https://en.example/wiki/Foo_(bar)', title: 'Foo bar' },
  { url: 'http://docs.test/x?id=1&utm_source=mail#top', title: 'Docs' },
  { url: 'https://en.example/wiki/A,_b', title: 'A, b' },
]
const first = 'https://example.com/a'
const tick = (count: number) => '`'.repeat(count)
const a = (count: number) => 'a'.repeat(count)

/** Where the rules of grounding end: lengths at their limits, and what is nearly one thing or another. */
const edges: readonly string[] = [
  // Spans of code and their runs.
  ...[300, 301].map((length) => `${tick(1)}${a(length - 3)}[9]${tick(1)} b`),
  ...[16, 17].map((count) => `${tick(count)}a[9]${tick(count)} b`),
  `a ${tick(1)}[9]\nb${tick(1)} c`,
  `a ${tick(2)}b${tick(1)}[9]${tick(2)} c ${tick(2)}${tick(1)}[9]${tick(2)}`,
  // Entities.
  ...[36, 37, 38, 60].map((zeros) => `a&#${'0'.repeat(zeros)}58;b`),
  'a&;b &amp b &nosuch; &#x3A; &Colon; &colon',
  'java&Tab;script&colon;x javascript&colon;x &lt;b &#60;b> &amp;#60; &amp;colon; www&period;&shy;x.com',
  // Fences.
  ...['', ' ', '   ', '- ', '-', '1. ', '1.', '> ', '+ - '].map(
    (mark) => `${mark}${tick(3)}\na[9] <b c>\n${tick(3)}\n[9] c`,
  ),
  ...[2, 3, 4, 49, 50].map((count) => `${tick(count)}\na[9] <b c>\n${tick(count)}\n[9] c`),
  ...[98, 99, 100].map(
    (column) => `${' '.repeat(column)}${tick(3)}\n${' '.repeat(column)}a[9]\n${' '.repeat(column)}${tick(3)}\n[9] c`,
  ),
  ...[98, 99, 100].map(
    (length) => `${tick(3)}${'a '.repeat(length / 2)}${length % 2 ? 'b' : ''}\na[9]\n${tick(3)}\n[9] c`,
  ),
  ...['js', 'js ', 'js b', 'a[9]', 'a|b', 'a~b', `a${tick(1)}b`, `${a(30)}`, `${a(31)}`, 'c++', 'c#', 'a/b'].map(
    (info) => `${tick(3)}${info}\na[9] <b c>\n${tick(3)}\n[9] c`,
  ),
  ...['~~~', '~~~~', `${tick(3)}`, `${tick(3)} `, `${tick(3)}a`, ` ${tick(3)}`, `\t${tick(3)}`, '', ' b', '\tb'].map(
    (end) => `~~~\na[9] <b c>\n${end}\n[9] c`,
  ),
  ...[tick(2), tick(4), ` ${tick(3)}`, `\t${tick(3)}`, `${tick(3)}a`, `${tick(3)}  `, 'b', '\tb'].map(
    (end) => `a\n  ${tick(3)}\n  a[9] <b c>\n${end}\n\n  ${tick(3)}\n[9] c`,
  ),
  `${tick(3)}\n${tick(3)}\n[9] <b c>`,
  `${tick(3)}`,
  `${tick(3)}\na`,
  `- ${tick(3)}js\n  a[9]\n  ${tick(3)}\n- b [9]`,
  `a\n- b\n  ${tick(3)}js\n  a[9] <b c>\n`,
  // Spaces around what goes.
  ...[
    'a [1] [9]\n[1] b',
    'a [1]\n[9] [1] b',
    'a [1] [9] [1] b',
    '[9] a',
    '\n[9] a',
    'a-[9]b',
    'a[9]-b',
    'a[9]b',
    'a [9], b',
  ],
  ...[
    'a \n[9]\n\nb',
    'a\n\n[9] \nb',
    'a\n [9]\n  b',
    'a  [9] b',
    'a [9]  b',
    'a\n[9] b',
    'a [9]\nb',
    '😀[9]b',
    'a(b [9])',
  ],
  `A fact [1] [Foo bar](https://en.example/wiki/Foo_(bar))\nB [Docs](http://docs.test/x?id=1) B`,
  `${'Das ist ein Satz, und er ist nicht lang. '.repeat(27)}${'This is one of the sentences that are long. '.repeat(60)}https://invented.test/x`,
  // Addresses without a scheme.
  ...[63, 76, 77, 90].map((length) => `b ${a(length)}.com/x b`),
  'irs.gov? irs.gov?! irs.gov/ irs.gov/. irs.gov# irs.gov#a irs.gov:80/x irs.gov:123456/x a/irs.gov/x @irs.gov/x \\irs.gov/x',
  'Www.Invented.Test/x www.irs.gov/x x.www.irs.gov/x irs.gov/X irs.gov/Xy irs.gov/X-y -irs.gov/x a..gov/x',
  // Links.
  ...[299, 300, 301].map((length) => `A [${a(length)}](${first}) b`),
  ...[2460, 2475, 2476, 2477, 2478, 2500].map((length) => `A [x](https://example.com/${a(length)}) b`),
  ...[2475, 2476, 2477, 2478, 2479, 2480, 2481].map((length) => `A https://example.com/${a(length)} b`),
  `A [x](${first} "a) b") c [x](${first} 'a') c [x](${first} (a)) c [x](<${first}>) c [x](<${first} a>) c [x]( ${first} ) c`,
  `A [x](a"b"c) [x](/a b) [x](/a) [x](#a) [x](?a) [x](a.b) [x](a:b c) [x](a) [x](\\/a) [x](/a "b") [x](/a b "c") [x]("a/b")`,
  ...[7, 8, 9].map((depth) => `A [x](/${'('.repeat(depth)}${')'.repeat(depth)}) b`),
  `A [x](/a\nb) [x](/a`,
  `A <${first} b <${first}\n> <${first}<b> <a b> <a href="${first}"> c </a> <img src=x> <img alt='y'> <IMG alt=z> <ab> </ab> </a > <1a>`,
  `A <a title=x href = '${first}' >b</a> <a href=>b</a> <a hrefs="${first}">b</a> <a\nhref="${first}">b</a>`,
  ...[9, 10, 11, 12, 13].map((length) => `a <${a(length)}> b`),
  'a <br> b <br/> b <br /> b <p>b</p> <div>b</div> <sup>b</sup> x<sup>2</sup> x<sup>[1]</sup> x<SUP>2</SUP> <bR>b <br //> <code>b</code> <xyz>b</xyz>',
  ...[97, 98, 99].map((length) => `a <${a(length - 4)}@b.c> b`),
  'a <b@c> <b@> <@c> <b@c@d> <b c@d> <b+c.d-e%f_g@h-i.j>',
  // Labels.
  `[1](${first}) [[2]](${first}) [(3)](${first}) [^1](${first}) [1234](${first}) [【1】](${first}) [**1**](${first}) [ 1 ](${first})`,
  `A [https://b.c](${first}) [www.b.c](${first}) [http://b c](${first}) [WWW.b.c](/x) [https://b.c](/x)`,
  `A [source](${first}) [Sources](/x) [link](${first}) [Quelle](/x) [ref](/x) [reference](${first}) [sourced](${first})`,
  `A [example.com](${first}) [www.example.com](${first}) [example.com/b](${first}) [example](${first}) [invented.test](https://invented.test/x) [other.test](https://invented.test/x)`,
  `A. [Example News](${first})\nA. [News](${first})\nA. [New](${first})\nA. [first page - example news today](${first})\nA. [!](${first})\nA. [Foo](${first})`,
  `A. [Docs](http://docs.test/x?id=1)  \nA. [Docs](http://docs.test/x?id=1)          \nA! [Docs](http://docs.test/x?id=1)[1]\nA [Docs](http://docs.test/x?id=1)\nA. [Docs](http://docs.test/x?id=1) b`,
  // Markers.
  ...[
    '[1-3]',
    '[1-21]',
    '[1-22]',
    '[3-1]',
    '[2-2]',
    '[1–2]',
    '[^1-^2]',
    '[1;2]',
    '[1,]',
    '[1 ,2]',
    '[ 1 ]',
    '[999]',
    '[1000]',
    '[1, 1000]',
    '[900-999]',
    '[990-1000]',
  ].map((mark) => `a ${mark} b`),
  ...[97, 98, 99, 100].map((length) => `a [1${' '.repeat(length)}] b`),
  ...[98, 99, 100].map((length) => `a 【1†${a(length - 3)}】 b`),
  'a 【1 b】 【1【2】 【1\n】 【x】 [1†source] [1†a, 2] [1] [2]',
  'A [label][1] [label][x] [12][1] x[label][1] 1[label][1] [label] [1] [label][1, 2] [label][9] [label][ [label][a\n\nb]',
  `A ![x] ![x](/y) ![x][1] ! [x](/y) !(x) ![x\n\ny](/z) ![](/z) !`,
  // Groups.
  `A (${first}) (${first}; ${first}) (see ${first}) (via: ${first}) (from ${first}) (Quelle: ${first}) (sourceses: ${first}) (ref:${first})`,
  `A (${first} and b) ([1]) ([1], ${first}) (${first}, https://invented.test/x) [${first}] [[1]] [source: ${first}] (${first} & ${first}) (${first}|${first})`,
  `A (${first}${' '.repeat(8)}) (${first}${' '.repeat(9)}) (${' '.repeat(8)}${first}) (${' '.repeat(9)}${first}) (x) () (h) (w) ([the report](${first})) ([First page](${first})) (<${first}>) (<b>)`,
  // URLs.
  `${first}请 ${first}'b ${first},b ${first};b ${first}*b https://invented.test/x,https://invented.test/y https://invented.test/请b HTTPS://EXAMPLE.COM/a`,
  'ftp://a.test/x file:///x smb://a.test/x www. www.a https://. https://a http://[::1]/x http://[::1 http://[zz]/x http://[1:2]',
  `http://[${'1'.repeat(48)}]/x http://[${'1'.repeat(49)}]/x`,
  `A ${first}). (${first}) ${first}(b)) ${first}... ${first}!? ${first}_ ${first}~ ${first}* ${first}} ${first}' ${first}" ${first}| ${first}^`,
  `A //a.test/x a//b a.com//b c://d https:/a https:// a www.a.test.:80/x https://user@example.com/a https://${a(65)}.test/x https://${a(59)}.test/x`,
  'htt[9]ps://a.test ht[9]tp:[9]//a.test ww[9]w.a.test fi[9]le://a.test w[9]ww.a.test/ a.co[9]m/b a.com[9]/b a.com/[9]b /[9]/a.test',
  // Definitions, destinations and labels.
  ...[
    '[x]:a',
    '[x]: a',
    '[x]:\na',
    '[x]:\n\na',
    '[x]:',
    '[x]: <a',
    '[x]: a b',
    '[x]: a "b"',
    "[x]: a 'b'",
    '[x]: a (b)',
    '[x]: a b c',
    '[x]:  a\n',
    '- [x]: a',
    '> [x]: a',
    'b [x]: a',
    '[x] : a',
    '[x]\n: a',
    '[x\ny]: a',
    '[x\n\ny]: a',
    '[x\\]y]: a',
    '[[x]]: a',
    '[x]: [y]: a',
    '1. [x]: a',
    '\t[x]: a',
  ],
  ...[
    '[x](a',
    '[x](\na)',
    '[x](\n\na)',
    '[x](\n>a)',
    '[x](>',
    '[x](<a',
    '[x](a b',
    '[x](a\tb',
    '[x](a "b',
    '[x](a)',
    '[x](',
    '[x](a b c)',
    '[x](  a b)',
    '[x](`a',
  ],
  ...[100, 101].flatMap((length) => [
    `[x]: ${a(length)} b c`,
    `[x](${a(length)} b c`,
    `a <${'1'.repeat(length)}@ b`,
    `a <${'1'.repeat(length)} b`,
  ]),
  ...[32, 33].flatMap((length) => [
    `[x]:${' '.repeat(length)}a`,
    `[x](${' '.repeat(length)}a)`,
    `[x]:a${' '.repeat(length)}b`,
  ]),
  'a <3 <= < b <-> <a <!b <?b </b <\\b <1@b <é @ <b\n< c <<d <>',
  '$a$ b $$ c $$[x]: a $5 $\n[x]: a',
  '\\(a\\)[x]: b \\[a\\][x]: b \\begin{a}[x]: b \\ce{a}[x]: b \\pu{a}[x]: b \\cf{a}[x]: b',
  '\\href{a} \\url{a} \\includegraphics{a} \\html \\unicode \\u0041 \\u1 \\hre \\\\href \\HREF',
  'javascript: a javascript:a ajavascript:a 1javascript:a vbscript:a data:a Data:a metadata:a java-data:a',
  `[ ] ${tick(3)} a\n[x] ${tick(3)} a\nb ${tick(3)} a\n[^1]: ${tick(3)} a\n~~~ a\n- ~~~ a ~~~ b`,
  // What a later piece decides, and what code keeps.
  ...[34, 35, 36].map((zeros) => `a&#${'0'.repeat(zeros)}233;b`),
  `${tick(3)}\na.com/b //c\n${tick(3)}\n${tick(1)}a //b c.com/d${tick(1)} a.com/b`,
  `${tick(3)}svg\na\n${tick(3)}\n- ${tick(3)} a\n\n  ${tick(3)}svg\n  a\n b\n- ${tick(3)} a`,
  `${tick(3)}\na <b c>\n\t${tick(3)}\n\t\t${tick(3)}\n${tick(3)}\nb`,
  `${tick(3)}JS\na <b c>\n${tick(3)}`,
  ...[
    'a $$ b [x]:c',
    'a $ b [x]:c',
    'a $\nb [x]:c',
    'a $$$ b [x]:c',
    '\\(a b [x]:c',
    '\\ce a b [x]:c',
    '\\pu{a b [x]:c',
  ],
  'b</a>c <a href="https://example.com/a">d</a>e</a>f',
  'A \\\\evil.com\\s [1] b',
  ...[7, 8, 9].map((count) => `A. [Docs](http://docs.test/x?id=1)${' '.repeat(count)}\nb`),
  `a [ ](${first}) b ![ ](/x) c [](${first}) d`,
  ...[2478, 2479, 2480].flatMap((length) => [
    `A [x](https://example.com/${a(length)}) b`,
    `A <https://example.com/${a(length)}> b`,
  ]),
  `a <${first}`,
  'a \n[9]\n b',
  ...[
    '[a\n\nb]',
    '[a\n \nb]',
    '[a\nb]',
    '[a\n>\nb]',
    '[a [b\n\nc] d]',
    '[\n\nb]',
    '[\nb]',
    '[a\\]b]',
    '[a\\\\]',
    '[a\\',
  ].map((label) => `${label}(${first}) c`),
  `[1]${tick(3)}\n<b c>\n${tick(3)}\nd`,
  `a <${'1'.repeat(98)} b <${'1'.repeat(99)} b`,
  ...['b [1] [x]:c', 'b [1][x]:c', '[^a]: - [x]:c', '[^a]: - b [x]:c', '[a] b]:c'],
  `${'Words. '.repeat(1500)}\n\nSources:\n- A`,
  ...[19_999, 20_000, 20_001].map(
    (length) => `Words.\n\nSources:\n${`- ${a(997)}\n`.repeat(19)}- ${a(length - 19_012)}\n- A`,
  ),
  'Words.\n\n---\n  \nSources:\n- A\n   \n- B',
  `Words.\n\nSources:${' '.repeat(80)}words\n- A`,
  'A https://en.example/wiki/A,_b b',
  'A [2024][1] [.][1] b',
  `${tick(3)}a.com#b\nx\n${tick(3)}`,
  `//${tick(1)}a${tick(1)} //&eacute;b //\\!b /[1]/a //[1]a a.com/&eacute;b /&eacute;/b //\\/b`,
  'htt[9]ps://\u00a0a htt[9]ps://\u2003\u00a0a a.com[9]/\u00a0b a.com/[9]\u00a0b //\u00a0b htt[9]ps://[1]b htt[9]ps://\tb',
  // Lists of sources.
  ...[
    'Sources:',
    'sources',
    '**Sources**',
    '> Sources:',
    '# Sources',
    'Sources used:',
    'Sources: a',
    `Sources: ${first}`,
    `Sources: [1] and [2]`,
    'Sources：',
    'Sources of',
    'Source:',
    'Worked cited',
    '***',
    '- - -',
    '--',
    '*-*',
    '    ***',
    '[1]: https://b.c',
    '[^n]: b',
    '[x]: b',
    `[${a(40)}]: https://b.c`,
    `[${a(41)}]: https://b.c`,
    `[^${a(20)}]: b`,
    `[^${a(21)}]: b`,
  ].map((head) => `Words [1].\n\n${head}\n- A\n`),
  ...[
    '- A',
    '* A',
    '+ A',
    '• A',
    '– A',
    '1. A',
    '1) A',
    '1234. A',
    '[1] A',
    '[^1]: A',
    '【1】 A',
    '  A',
    ' A',
    '\tA',
    'A',
    first,
    `[A](${first})`,
    `<${first}>`,
    '---',
    '===',
    '--',
    '',
    `- A\n\n- B`,
    `- A\nB`,
    '-A',
    'hA',
    'wA',
  ].map((item) => `Words [1].\n\nSources:\n${item}\n`),
  `Words.\n\n---\n\nSources:\n- A`,
  `Words.\n\n---\nB\n\nSources:\n- A`,
  `Words.\n\n---\n\n---\n\nSources:\n- A`,
  `Sources:\n- A`,
  `Words.\nSources:\n- A\n\nSources:\n- B`,
  ...[1990, 1997, 1998, 1999, 2000].map((length) => `Words.\n\nSources:\n- ${a(length)}`),
  ...[76, 79, 80, 81, 90].map((length) => `Words.\n\nSources:\n${' '.repeat(length)}A\nB`),
  ...[19_970, 19_985, 19_990, 19_991, 19_992, 19_995, 20_000].map(
    (length) => `Words.\n\nSources:\n${`- ${a(997)}\n`.repeat(Math.floor(length / 1000))}- ${a(length % 1000)}`,
  ),
]

function ground(pieces: readonly string[]): string {
  const grounding = new Grounding()
  grounding.addSources(sources)
  let text = ''
  for (const part of [...pieces.flatMap((piece) => grounding.push(piece)), ...grounding.end()])
    text += part.type === 'text-delta' ? part.text : `{${part.citation.number}}`
  return text
}

/** Many of the same as their number. */
const short = (text: string) =>
  JSON.stringify(
    text.replaceAll(
      /(.)\1{20,}|((?:\S+ ){2,40}?)\2{9,}/gsu,
      (run, one = '', some = '') => `‹${one || some} × ${run.length / (one || some).length}›`,
    ),
  )

/** What leaves of each text, and of the hostile ones between sentences, too, letter by letter. A citation as `{1}`. */
export function* record(): Generator<string> {
  for (const [name, text] of Object.entries(hostileMarkdown)) {
    const within = ground([`${'Seals bark [1]. '.repeat(8)}\n- `, ...text, '\n\nThey swim [1].'])
    yield `${name}\n  ${short(ground([text]))}\n  ${short(within)}\n`
  }
  for (const text of [...plainProse, ...edges])
    yield `${short(text)}\n  ${short(ground(text.length > 600 ? [text] : [...text]))}\n`
}

if (import.meta.main) for (const lines of record()) process.stdout.write(lines)
