import { describe, expect, test } from 'bun:test'
import { normaliseUrl } from '@csp/lib/url'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import type { Citation } from '../src/grounded-part.ts'
import { Grounding } from '../src/grounding.ts'

const sources = [
  { url: 'https://www.example.com/a/', title: 'First page - Example News' },
  { url: 'https://en.example/wiki/Foo_(bar)', title: 'Foo bar' },
  { url: 'http://docs.test/x?id=1&utm_source=mail#top', title: 'Docs' },
]
const first = 'https://example.com/a'
const docs = 'https://docs.test/x?id=1'
const unknown = 'https://invented.test/q'

interface Grounded {
  readonly text: string
  readonly citations: readonly Citation[]
}

function ground(pieces: readonly string[], results = sources): Grounded {
  const grounding = new Grounding()
  grounding.addSources(results)
  const parts = [...pieces.flatMap((piece) => grounding.push(piece)), ...grounding.end()]
  let text = ''
  const citations: Citation[] = []
  for (const part of parts) {
    if (part.type === 'text-delta') text += part.text
    else {
      // A citation must follow the text that holds its marker.
      expect(text.slice(part.citation.start, part.citation.end)).toBe(`[${part.citation.number}]`)
      citations.push(part.citation)
    }
  }
  return { text, citations }
}

function grounded(text: string): string {
  return ground([text]).text
}

function numbers(text: string): number[] {
  return ground([text]).citations.map(({ number }) => number)
}

describe('links', () => {
  test.each([
    [
      'a label in the sentence stays',
      `According to [the report](${first}), it is.`,
      'According to the report [1], it is.',
    ],
    ['a title in parentheses goes', `A fact ([First page](${first})). More`, 'A fact [1]. More'],
    ['a title after a sentence goes', `A fact. [Docs](${docs})\nMore`, 'A fact. [3]\nMore'],
    ['a title at the start of an item stays', `- [Docs](${docs}): words`, '- Docs [3]: words'],
    ['several in parentheses', `A (source: [Docs](${docs}), ${first}).`, 'A [3][1].'],
    [
      'words beside it keep the parentheses',
      `A (see [the report](${first}) for more)`,
      'A (see the report [1] for more)',
    ],
    ['a number for a label', `A [[1]](${docs}) b [2](${first})`, 'A [3] b [1]'],
    ['its address for a label', `A [${first}](${first}) b [docs.test](${docs})`, 'A [1] b [3]'],
    ['a title attribute', `A [x](${first} "The :) title") b`, 'A x [1] b'],
    ['emphasis around', `**[Docs](${docs})**: a`, '**Docs [3]**: a'],
    ['an unknown URL leaves its label', `A [label](${unknown}) b`, 'A label b'],
    ['an unknown URL takes a number along', `A [1](${unknown}) b`, 'A b'],
    ['a reference', 'A [label][3] b [other][9]', 'A label [3] b other'],
    ['an image leaves its words', `A ![alt](${unknown}) b ![](${unknown}) c`, 'A alt b c'],
    ['brackets that a label had to escape', `A [label \\[new\\]](${first}) b`, 'A label [new] [1] b'],
    ['an image in a link', `A [![alt](${unknown})](${first}) b`, 'A alt [1] b'],
    ['other schemes', 'A [x](javascript:alert(1)) [y](data:a,b) [z](file:///etc/x) b', 'A x y z b'],
    [
      'autolinks',
      `A <${first}> b <${unknown}> c <ftp://x.test>`,
      'A [1] b invented.test (not among the sources) c x.test (not among the sources)',
    ],
    ['a mailbox in angle brackets', 'A <a.b@c.test> d', 'A a.b@c.test d'],
    ['tags that format', 'H<sub>2</sub>O, <b>10</b><sup>6</sup><sup>[1]</sup><br>b', 'H2O, 10^6[1] b'],
    ['mail', 'A <mailto:a@b.test> or [me](mailto:a@b.test)', 'A a@b.test or me'],
    ['anchors', `A <a class="x" href="${first}">b</a> <a href='${unknown}'>c</a>.`, 'A b [1] c.'],
    ['an anchor without quotation marks', `A <a href=${first}>b</a>.`, 'A b [1].'],
    ['image tags', `A <img src="${unknown}" alt="b"> c`, 'A b c'],
    ['no address in the parentheses', 'f(i)[x] and [1](see below)', 'f(i)[x] and [1](see below)'],
    ['a link that names no source, to a parser of Markdown', 'f[i](x) and [1](x)', 'f[i] (x) and [1] (x)'],
  ])('%s', (_, text, expected) => {
    expect(grounded(text)).toBe(expected)
  })
})

test.each([
  ['javascript:alert(1)', 'A a [b [c [d]]] e'],
  ['//evil.example/x', 'A a [b [c [d]]] e'],
  [first, 'A a [b [c [d]]] [1] e'],
])('a link to %s is one however deep the brackets of its label nest', (address, expected) => {
  expect(grounded(`A [a [b [c [d]]]](${address}) e`)).toBe(expected)
})

test.each([
  ['brackets that none closes', '['.repeat(700)],
  ['brackets that close beyond the reach of most', `${'['.repeat(400)}a]`],
  ['an open bracket on each line', '[\n'.repeat(400)],
])('a link behind %s is one, however they are cut', (_, before) => {
  const text = `${before}[x](${first}) b`
  expect(grounded(text)).toBe(`${before}x [1] b`)
  expect(ground(text.split('')).text).toBe(grounded(text))
  expect(ground(text.match(/.{1,7}/gs) ?? []).text).toBe(grounded(text))
})

test('links inside links by the hundred take no long time', () => {
  const depth = 140
  const nested = `${'['.repeat(depth)}a${`](${first})`.repeat(depth)}`
  expect(grounded(`${nested} b `.repeat(20))).not.toContain('http')
})

describe('URLs in the text', () => {
  test.each([
    ['known', `See ${first}. Then`, 'See [1]. Then'],
    ['unknown', `See ${unknown}, then`, 'See invented.test (not among the sources), then'],
    ['in parentheses', `A (${unknown}) b (${first}) c [${unknown}] d [${first}]`, 'A b [1] c d [1]'],
    ['with parentheses of its own', 'A (https://en.example/wiki/Foo_(bar)), b', 'A [2], b'],
    ['in braces', `A {${first}} b {${unknown}} c`, 'A {[1]} b {invented.test (not among the sources)} c'],
    ['www', 'A www.example.com/a and www.invented.test b', 'A [1] and invented.test (not among the sources) b'],
    ['glued to Chinese', `看${first}请看。`, '看[1]请看。'],
    ['glued to a marker', `A ${first}[3] b`, 'A [1][3] b'],
    ['in a list of strings', `'${unknown}','${first}'`, "'invented.test (not among the sources)','[1]'"],
    ['a host in brackets', 'A http://[::1]:8080/x b', 'A b'],
    [
      'a scheme alone is no URL',
      'It starts with `https://` or https://, always.',
      'It starts with `https://` or https://, always.',
    ],
    [
      'born where a marker was',
      'A htt[9]ps://invented.test https:[9]//invented.test b',
      'A htt ps:// invented.test https://. b',
    ],
  ])('%s', (_, text, expected) => {
    expect(grounded(text)).toBe(expected)
  })

  test('one of any length goes', () => {
    expect(grounded(`A https://x.test/${'y'.repeat(10_000)} b`)).toBe('A b')
  })

  test.each([
    'http://example.com/a',
    'https://EXAMPLE.com:443/a/#part',
    'https://www.example.com/a?utm_medium=x&gclid=1&fbclid=2',
    '//example.com/a',
    'example.com/a',
  ])('%s is the first source', (url) => {
    expect(numbers(`[label](${url})`)).toEqual([1])
  })

  test.each([
    'https://example.com/A',
    'https://example.com/a?b=1',
    'https://example.com/a/b',
    'https://example.com:8080/a',
    'https://example.com@invented.test/a',
    'https://user@example.com/a',
    'https://sub.example.com/a',
  ])('%s is no source', (url) => {
    expect(ground([`[label](${url})`])).toEqual({ text: 'label', citations: [] })
  })

  test('escapes, entities and parentheses are spelled alike', () => {
    expect(normaliseUrl('https://a.test/%c3%b6_%28b%29?x=1&amp;y=2')).toBe(
      normaliseUrl('http://www.a.test/ö_(b)/?x=1&y=2') ?? '',
    )
    expect(normaliseUrl('ftp://a.test')).toBeUndefined()
    expect(normaliseUrl('mailto:a@b.test')).toBeUndefined()
    expect(normaliseUrl('')).toBeUndefined()
  })
})

test('a page that was found under two spellings is cited as the first', () => {
  const twice = [...sources, { url: first, title: 'Again' }]
  expect(ground([`A ${first} b`], twice).citations).toMatchObject([{ number: 1, url: sources[0]?.url }])
})

describe('markers', () => {
  test.each([
    ['lists', 'a [1, 2] b [1,3] c [1; 2]', 'a [1][2] b [1][3] c [1][2]'],
    ['ranges', 'a [1-3] b [2–3]', 'a [1][2][3] b [2][3]'],
    ['other brackets', 'a 【2】 b 【3†source】 c [^1]', 'a [2] b [3] c [1]'],
    ['repeated', 'a [1][1] b [1] [1]. c [1][2][1]', 'a [1] b [1]. c [1][2][1]'],
    ['out of range', 'a [4] b [9], c [7]. [3, 9] d[8]e', 'a b, c. [3] d e'],
    ['out of range, alone on a line', 'a\n[9]\nb', 'a\nb'],
    [
      'years, zeros, boxes, wide ranges',
      '[2024] [0] [0, 1] [01] [x] [ ] [1-90]',
      '[2024] [0] [0, 1] [01] [x] [ ] [1-90]',
    ],
  ])('%s', (_, text, expected) => {
    expect(grounded(text)).toBe(expected)
  })

  test('a thousand of them are citations, and the markers of others are left out', () => {
    const { text, citations } = ground(['A [1]. '.repeat(1500)])
    expect(citations).toHaveLength(1000)
    expect(text).toBe(`${'A [1]. '.repeat(1000)}${'A. '.repeat(500)}`.trim())
  })

  test('each names its page and its place', () => {
    expect(ground(['😀 a [2]b[2].']).citations).toEqual([
      { number: 2, url: sources[1]?.url ?? '', title: 'Foo bar', start: 5, end: 8 },
      { number: 2, url: sources[1]?.url ?? '', title: 'Foo bar', start: 9, end: 12 },
    ])
  })

  test('sources count by exact URL, and may come late', () => {
    const grounding = new Grounding()
    grounding.addSources(sources.slice(0, 1))
    const before = grounding.push('a [2] b. ')
    grounding.addSources([...sources.slice(0, 1), { url: 'http://example.com/a', title: 'Again' }, ...sources.slice(1)])
    const after = [...grounding.push(`c [2] d [${unknown}] ${docs}`), ...grounding.end()]
    expect(before.filter(({ type }) => type === 'citation')).toEqual([])
    expect(after.flatMap((part) => (part.type === 'citation' ? [part.citation.number] : []))).toEqual([2, 4])
  })
})

describe('an address that no search found', () => {
  test.each([
    [
      'says so',
      'See also https://invented.test/x for more.',
      'See also invented.test (not among the sources) for more.',
    ],
    [
      'without a scheme',
      'See invented.example/docs/x, irs.gov?a=1.',
      'See invented.example (not among the sources), irs.gov (not among the sources).',
    ],
    ['in capitals', 'See Evil.Example/q, EXAMPLE.com/b.', 'See Evil.Example (not among the sources), EXAMPLE.com.'],
    [
      'with its site for a label',
      'A [invented.example](https://invented.example/x) b',
      'A invented.example (not among the sources) b',
    ],
    [
      'of a site that was found',
      'A https://example.com/b, example.com/c and example.com.',
      'A example.com, example.com and example.com.',
    ],
    [
      'in German',
      'Das ist so, und es ist nicht neu: https://invented.test.',
      'Das ist so, und es ist nicht neu: invented.test (nicht unter den Quellen).',
    ],
    [
      'in French',
      'Les phoques sont dans la mer: https://invented.test.',
      'Les phoques sont dans la mer: invented.test (absent des sources).',
    ],
    [
      'in Japanese',
      'これは答えです。アザラシは海で泳ぎます。とてもかわいいです https://invented.test',
      'これは答えです。アザラシは海で泳ぎます。とてもかわいいです invented.test (出典にありません)',
    ],
    [
      'among the names of sites',
      'Booking.com, Hotels.com, Expedia.com, https://invented.test',
      'Booking.com, Hotels.com, Expedia.com, invented.test (not among the sources)',
    ],
  ])('%s', (_, text, expected) => {
    expect(grounded(text)).toBe(expected)
    expect(ground(text.split('')).text).toBe(expected)
    expect(grounded(expected)).toBe(expected)
  })

  test('is a source without a scheme, too', () => {
    expect(grounded('See example.com/a, then')).toBe('See example.com [1], then')
  })

  test('is no name that stands alone or with another one', () => {
    const text = 'Booking.com, Node.js, main.rs, `github.com/a/b`, v1.2/3, a.b@c.com, example.com and https://.'
    expect(grounded(text)).toBe(text)
    expect(grounded('Booking.com/Expedia')).toBe('Booking.com/ Expedia')
  })
})

describe('a path to a share or a file', () => {
  test.each([
    ['of the Internet', 'A \\\\evil.com\\s\\x.png, b', 'A evil.com (not among the sources), b'],
    ['by its number', 'A \\\\192.0.2.1\\c$ b', 'A 192.0.2.1 (not among the sources) b'],
    ['over the Web', 'A \\\\evil.com@SSL\\DavWWWRoot\\x b', 'A evil.com (not among the sources) b'],
    ['escaped', 'A \\\\\\\\evil.com\\\\s b', 'A evil.com (not among the sources) b'],
    ['of the network', 'A \\\\host\\share\\x.png b', 'A \\\\ host\\share\\x.png b'],
    ['in a span', 'A `x \\\\evil.com\\s` `\\\\host\\share` b', 'A `x evil.com` `\\\\ host\\share` b'],
    ['in a fence', '```\n"\\\\evil.com\\s\\x.png"\n```', '```\n"evil.com"\n```'],
    [
      'by a scheme',
      'A smb://Evil.com/s, file://evil.com/x <smb://evil.com/s> file:///etc/x b',
      'A evil.com (not among the sources), evil.com (not among the sources) evil.com (not among the sources) b',
    ],
    ['behind a label', 'A [x](smb://evil.com/s) [y](file:///etc/x) b', 'A x y b'],
    ['in capitals', 'A \\\\EVIL.com\\s b', 'A evil.com (not among the sources) b'],
    [
      'behind a long text',
      `A ${'b '.repeat(1500)}\\\\evil.com\\s b`,
      `A ${'b '.repeat(1500)}evil.com (not among the sources) b`,
    ],
    ['behind ten backslashes', `A ${'\\'.repeat(10)}evil.com\\s b`, 'A \\\\evil.com (not among the sources) b'],
    ['with a slash for its path', 'A \\\\evil.com/x b', 'A \\\\evil.com/ x b'],
  ])('%s', (_, text, expected) => {
    expect(grounded(text)).toBe(expected)
    expect(ground(text.split('')).text).toBe(expected)
    expect(grounded(expected)).toBe(expected)
  })

  test.each([
    'C:\\Users\\x, C:\\\\Users\\\\x, a\\\\b\\c, x \\\\ y, $a \\\\b\\c$',
    'A \\evil.com\\s, \\\\evil.com\\ and \\\\evil.com\\. b',
    `a${'\\'.repeat(10)}evil.com\\s, \\\\${'a'.repeat(300)}.com\\s`,
    'file: a, smb: b, file://, `/\\\\d+\\w+/`, `"\\\\w+\\\\.\\\\d"`, `"\\\\Users\\\\x"`.',
  ])('is none in %s', (text) => {
    expect(grounded(text)).toBe(text)
  })
})

describe('code', () => {
  test('brackets stay, URLs go', () => {
    const text = `\`a[0]\`, \`b[1]\`, \`curl ${unknown}\`, \`${first}\`, \`${unknown}\`.`
    expect(grounded(text)).toBe('`a[0]`, `b[1]`, `curl invented.test`, [1], invented.test (not among the sources).')
    expect(numbers(text)).toEqual([1])
  })

  test('a fenced block', () => {
    const text = `a:\n\n\`\`\`ts\nfetch("${unknown}")[1]\n  x[9]   (${first})\n\`\`\`\nb [1]`
    expect(grounded(text)).toBe('a:\n\n```ts\nfetch("invented.test")[1]\n  x[9]   ([1])\n```\nb [1]')
    expect(numbers(text)).toEqual([1])
  })

  test('a span ends with as many backticks as began it', () => {
    expect(numbers('a ``b ` [1]`` [2]')).toEqual([2])
  })

  test('a span does not end with more backticks than began it', () => {
    expect(numbers('a `b `` [1]` [2]')).toEqual([2])
  })

  test('a URL that goes leaves the name of its site', () => {
    expect(grounded(`a\n\n\`\`\`\n  curl ${unknown} -o x\n\`\`\`\nb`)).toBe(
      'a\n\n```\n  curl invented.test -o x\n```\nb',
    )
  })

  test('a backtick alone opens nothing', () => {
    expect(numbers('the `90s [1]\nand [2]')).toEqual([1, 2])
  })
})

describe('a source list', () => {
  test.each([
    ['items', `\n\nSources:\n- [A](${first})\n- B ${unknown}\n`],
    ['a heading', `\n\n## Sources\n\n1. [A](${first})\n2. B\n   more of B`],
    ['bold, on one line, after a rule', `\n\n---\n\n**Sources:** [A](${first}), [B](${unknown})\n`],
    ['another word', `\n**References**\n[1] A - ${first}\n[2] B`],
    ['another language', `\n\nQuellen:\n* ${first}`],
    ['link definitions', `\n\n[1]: ${first} "A"\n[^2]: B, ${unknown}`],
    ['a heading alone', '\n\nSources:\n'],
  ])('%s is cut', (_, list) => {
    expect(ground([`Words [1].${list}`])).toEqual(ground(['Words [1].']))
  })

  test.each([
    ...['Source', 'Sources', 'Sources used', 'Sources cited', 'Sources consulted', 'Reference', 'References'],
    ...['Citations', 'Works cited', 'Bibliography', 'Quelle', 'Quellen', 'Quellenangaben', 'Fuentes', 'Fonti'],
    ...['Références', 'Referencias', 'Referências', 'Źródła', 'Джерела', 'Källor', 'Kaynaklar', 'المصادر', 'المراجع'],
    ...['Fontes', 'Bronnen', 'Источники', '来源', '参考', '参考来源', '参考资料', '参考文献', '出典', '출처'],
  ])('under the heading %s is cut', (heading) => {
    expect(grounded(`Words [1].\n\n## ${heading}\n\n1. [A](${first})\n`)).toBe('Words [1].')
  })

  test.each([
    [
      'prose after it',
      `Words.\n\nSources:\n- [A](${first})\n\nMore prose.`,
      'Words.\n\nSources:\n- A [1]\n\nMore prose.',
    ],
    ['no list', 'Words.\n\nSources of error are many.', 'Words.\n\nSources of error are many.'],
    ['prose on the line', 'Words.\n\nSources: Reuters and others.', 'Words.\n\nSources: Reuters and others.'],
    ['nothing before it', `Sources:\n- [A](${first})`, 'Sources:\n- A [1]'],
    ['a rule alone', 'Words.\n\n---\n\nMore.\n\n---', 'Words.\n\n---\n\nMore.\n\n---'],
    ['in code', 'Words.\n\n```\nSources:\n- a\n```', 'Words.\n\n```\nSources:\n- a\n```'],
  ])('is kept: %s', (_, text, expected) => {
    expect(grounded(text)).toBe(expected)
  })
})

const salt = fc.constantFrom(
  ...[
    first,
    unknown,
    docs,
    'https://en.example/wiki/Foo_(bar)',
    'http://',
    'https://',
    'www.',
    'HTTPS://X.test',
    'ht',
    'tps:',
    '//',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '](',
    '[1]',
    '[9]',
    '[1, 2]',
    '[2024]',
    '【1】',
    '<',
    '>',
    '`',
    '```',
    '![',
    '\\',
    '|',
    '"',
    "'",
    '*',
    '.',
  ],
  ...[
    ' ',
    '\n',
    '\n\n',
    '---\n',
    'Sources:\n',
    '- ',
    '## ',
    'word',
    'a',
    '.',
    '😀',
    '\ud83d',
    '请',
    '<a href="',
    '</a>',
  ],
)
const wild = fc.array(fc.oneof({ weight: 4, arbitrary: salt }, anyText({ maxLength: 4 })), {
  maxLength: 40,
})
const text = wild.map((pieces) => pieces.join(''))

describe('for any text', () => {
  test('no URL leaves, and every citation is a marker of a source, in order', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { text: output, citations } = ground([input])
        expect(output).not.toMatch(/(?:https?:\/\/|ftp:\/\/|www\.)[.,;:!?'*_~}]*[\p{L}\p{N}]/iu)
        expect(output).toBe(output.trimEnd())
        for (const [index, { number, start, end }] of citations.entries()) {
          expect(output.slice(start, end)).toBe(`[${number}]`)
          expect(number).toBeLessThanOrEqual(sources.length)
          expect(start).toBeGreaterThanOrEqual(citations[index - 1]?.end ?? 0)
        }
      }),
      { numRuns: runs(5000) },
    )
  })

  test('where it is cut changes nothing', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (input, cuts) => {
        const whole = ground([input])
        expect(ground(input.split(''))).toEqual(whole)
        const places = [0, ...cuts.filter((cut) => cut < input.length).sort((a, b) => a - b), input.length]
        expect(ground(places.map((place, index) => input.slice(place, places[index + 1] ?? place)))).toEqual(whole)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('nor where a reader looks back at what has gone out', () => {
    const glued = `${first}[请][1]`
    expect(ground(glued.split(''))).toEqual(ground([glued]))
  })

  test('every single cut of a rich text gives the same', () => {
    const rich = `A 😀 fact ([First page](${first})), \`a[0]\` [1, 2] <${docs}> see ${unknown}.\n\`\`\`\n${first}\n\`\`\`\n![i](${unknown}) <a href="${first}">x</a> [9].\n\n---\n**Sources:**\n- [A](${first})\n`
    const whole = ground([rich])
    expect(whole.citations).toHaveLength(5)
    for (let cut = 0; cut <= rich.length; cut++) expect(ground([rich.slice(0, cut), rich.slice(cut)])).toEqual(whole)
  })

  test('where markers are left out between lines, the widest space stays', () => {
    const space = fc.stringMatching(/^ ?\n[ \n]{0,2}$/)
    fc.assert(
      fc.property(fc.array(space, { minLength: 2, maxLength: 4 }), (spaces) => {
        const kept = grounded(`a${spaces.join('[9]')}b`).slice(1, -1)
        const sizes = [kept, ...spaces].map((each) => 10 * each.split('\n').length + each.length)
        expect(sizes[0]).toBe(Math.max(...sizes))
        expect(spaces).toContain(kept)
      }),
      { numRuns: runs(500) },
    )
  })

  test('clean text is left as it is', () => {
    const clean = fc.array(
      fc.constantFrom(
        'word',
        'a(b)',
        ' ',
        '  ',
        '\n',
        '- ',
        '> ',
        'h',
        'www',
        '*x*',
        '1.',
        '{',
        '#',
        '😀',
        '[x] ',
        '[1]. ',
      ),
    )
    fc.assert(
      fc.property(clean, (pieces) => {
        const input = pieces
          .join('')
          .replace(/(\[1\]\. )+/g, '$1')
          .trimEnd()
        expect(grounded(input)).toBe(input)
      }),
    )
  })
})

describe('while it streams', () => {
  /** How many characters are in, but not out, after each one-character push. */
  function held(text: string): number[] {
    const grounding = new Grounding()
    grounding.addSources(sources)
    grounding.push('Before. ')
    let out = 'Before.'.length
    return text.split('').map((char, index) => {
      for (const part of grounding.push(char)) if (part.type === 'text-delta') out += part.text.length
      return 'Before. '.length + index + 1 - out
    })
  }

  test('prose waits for no more than the start of a URL', () => {
    const prose =
      'The white house, which was built here, has four walls; why? Nobody knows what happened (for now).\n'.repeat(5)
    expect(Math.max(...held(prose))).toBeLessThanOrEqual(10)
    expect(Math.max(...held('Some ever so plain words, day by day. '.repeat(5)))).toBeLessThanOrEqual(2)
  })

  test.each([
    ['a label', `[${'word '.repeat(200)}`, 310],
    ['a paragraph in brackets', `[word\n\n${'word '.repeat(200)}`, 10],
    ['a link', `[a](/${'y '.repeat(3000)}`, 2520],
    ['a code span', `\`${'word '.repeat(200)}`, 310],
    ['a source list', `a\nSources:\n${'- item\n'.repeat(3000)}`, 20_100],
    ['a line that only looks like a heading', `a\nSources of ${'word '.repeat(200)}`, 12],
  ])('%s that stays open is given up', (_, text, bound) => {
    const lengths = held(text)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(bound)
    expect(lengths.at(-1)).toBeLessThanOrEqual(310)
  })

  test('a link leaves with its next character', () => {
    const link = `see [the report](${first})`
    expect(held(`${link} `).at(-1)).toBeLessThanOrEqual(`${link} `.length - 'see the report [1]'.length)
  })

  test('half of a surrogate pair never leaves alone', () => {
    const grounding = new Grounding()
    const deltas = [...'a😀b'.split('').flatMap((half) => grounding.push(half)), ...grounding.end()]
    expect(deltas.map((part) => part.type === 'text-delta' && part.text)).toEqual(['a', '😀', 'b'])
  })

  test.each(['plain words. ', '[', '(', '<', '`', '![', '【', '[a](', '\n', 'Sources:\n- a\n'])(
    'much of %j finishes, whole or in pieces: quadratic work would not',
    (unit) => {
      const input = unit.repeat(10_000 / unit.length)
      expect(grounded(input)).toBe(ground(input.match(/.{1,7}/gs) ?? []).text)
    },
    30_000,
  )
})
