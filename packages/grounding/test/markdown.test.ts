import { describe, expect, test } from 'bun:test'
import { hostileMarkdown, plainProse } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { runs, sampled } from '@csp/testing/runs'
import fc from 'fast-check'
import { guardedText, guardingText } from '../src/answer-guard.ts'
import { Grounding } from '../src/grounding.ts'

const sources = [
  { url: 'https://www.example.com/a/', title: 'First page' },
  { url: 'https://en.example/wiki/Foo_(bar)', title: 'Foo bar' },
]

function ground(pieces: readonly string[]): string {
  const grounding = new Grounding()
  grounding.addSources(sources)
  let text = ''
  for (const part of [...pieces.flatMap((piece) => grounding.push(piece)), ...grounding.end()]) {
    if (part.type === 'text-delta') text += part.text
    else expect(text.slice(part.citation.start, part.citation.end)).toBe(`[${part.citation.number}]`)
  }
  return text
}

const settings = {
  alone: (text: string) => text,
  'in a sentence': (text: string) => `Seals bark [1]. ${text} They swim.`,
  'in a list': (text: string) => `1. Seals:\n   - ${text.replaceAll('\n', '\n     ')}\n`,
  'in a quote': (text: string) => `> ${text.replaceAll('\n', '\n> ')}\n`,
  'in a table': (text: string) => `| a | b |\n|---|---|\n| ${text.replaceAll('\n', ' ')} | c |\n`,
  'behind a fence': (text: string) => `\`\`\`\nx\n\`\`\`\n${text}`,
  'behind a backtick': (text: string) => `It is the \`90s.\n${text} \``,
}

describe('a parser of Markdown with HTML finds nothing live in', () => {
  test.each(Object.entries(hostileMarkdown))('%s, wherever it stands and however it is cut', (name, hostile) => {
    for (const within of placesOf(name)) {
      const whole = ground([within(hostile)])
      expect(liveMarkup(whole)).toEqual([])
      expect(ground(within(hostile).split(''))).toBe(whole)
    }
    if (hostile.length > maxCut) return
    const whole = ground([hostile])
    const cuts = sampled(Array.from({ length: hostile.length }, (__, cut) => cut))
    const differing = cuts.flatMap((cut) => {
      const halves = [hostile.slice(0, cut), hostile.slice(cut)]
      return ground(halves) === whole ? [] : [halves]
    })
    expect(differing).toEqual([])
  })

  const maxCut = 500

  /** Alone, and in two of the other places, or in all where all rows of a table are tried. */
  function placesOf(name: string) {
    const { alone, ...rest } = settings
    const others = Object.values(rest)
    const first = Object.keys(hostileMarkdown).indexOf(name) % others.length
    const count = Math.max(2, sampled(others).length)
    return [alone, ...others.slice(first), ...others.slice(0, first)].slice(0, 1 + count)
  }

  test('any of them, cut in two where it stands', () => {
    const hostile = fc.constantFrom(...Object.values(hostileMarkdown).filter((text) => text.length <= maxCut))
    const text = fc.tuple(fc.constantFrom(...Object.values(settings)), hostile).map(([within, own]) => within(own))
    fc.assert(
      fc.property(text, fc.nat(), (whole, place) => {
        const cut = place % whole.length
        return ground([whole.slice(0, cut), whole.slice(cut)]) === ground([whole])
      }),
      { numRuns: runs(9000) },
    )
  }, 60_000)

  const part = fc.constantFrom(
    ...['[', '](', '](//evil.example/x)', '[1]', '[x]', '[x]:', ': //evil.example', '[1]: //evil.example/a', '[^1]: '],
    ...['[a`]: //evil.example', '![x](', '![', ']', ')', '(', '<', '>', '<img src=x>', '<img\nsrc=//evil.example>'],
    ...['<script>', '</b>', '<b>', '<div', '<!--', '-->', '<?', '<![CDATA[', '<steam://x>', '<a@b.example>', '<br/>'],
    ...['`', '``', '```', '````', '~~~', '```js', '\\', '\\`', '\\\\', '|', '\n|--|--|\n', '\n', '\n', '\n\n', '\n  '],
    ...[
      '\n   ',
      '\n    ',
      '\n> ',
      '\n- ',
      '\n1. ',
      '\n2. ',
      '- ',
      '> ',
      '1) ',
      '    ',
      ' ',
      '\t',
      '\r',
      '\v',
      '\u2028',
    ],
    ...[
      '&colon;',
      '&#58;',
      '&sol;',
      '&lt;',
      '&amp;',
      '&quot;',
      '&#x200b;',
      '&Tab;',
      '&NewLine;',
      '&#32;',
      '#58;',
      '"t"',
    ],
    ...[
      "'",
      'https',
      'http://',
      '://',
      '//',
      '/',
      '.',
      'www.',
      'www&period;evil.com',
      'evil.com',
      'evil.com/x',
      '?q=1',
    ],
    ...['javascript:alert(1)', 'mailto:a@b.example', 'a', 'b c', 'word ', '1', '# ', '===', '---', '***', '- - -', '*'],
    ...[
      '_',
      '{',
      '$',
      '😀',
      '\u00a0',
      '請',
      '!',
      'https&colon;//evil.example',
      'http\\://evil.example/x',
      'com',
      '[9]',
    ],
  )
  const hostileText = fc
    .array(fc.oneof({ weight: 9, arbitrary: part }, fc.string({ maxLength: 3 })), { maxLength: 30 })
    .map((pieces) => pieces.join(''))

  test('a marker behind an address without a scheme, which stays whole', () => {
    expect(ground(['evil.com/[1]: //evil.example/a'])).toBe('evil.com/ [1]: // evil.example/a')
    expect(ground(['See evil.com/[1] and evil.com/[2].'])).toBe('See evil.com/ [1] and evil.com/ [2].')
  })

  test('a mail address with a byte that is no character', () => {
    expect(liveMarkup(ground(['%A<a@b.example>']))).toEqual([])
  })

  test('an invisible character, written as an entity where an address begins', () => {
    expect(ground(['www.<img src=x>&#x200b;'])).toBe('www.')
    expect(ground(['See www.<b>&#x200b;evil.com, x'])).not.toContain('evil')
    for (const text of ['www.<img src=x>&#x200b;', 'www.<b>&#x200b;evil.com', 'www.<b>&shy;<b>&zwj;a'])
      expect(liveMarkup(ground([text]))).toEqual([])
  })

  test.each([
    ['[x]:a b c', '[x]:a b c'],
    ['[x]:a)b c d', '[x]:a)b c d'],
    ['[x](a:b c d', '[x](a:b c d'],
    ['[x]:a`b c d', '[x] :a`b c d'],
    ['[x]:a[b c d', '[x] :a[b c d'],
    ['[x]:a:b c d', '[x] :a:b c d'],
    ['[x](a)b c d', '[x] (a)b c d'],
  ])('%j where words follow what may be an address', (text, expected) => expect(ground([text])).toBe(expected))

  test('any text that is made of such things', () => {
    fc.assert(
      fc.property(hostileText, (text) => expect(liveMarkup(ground([text]))).toEqual([])),
      { numRuns: runs(4000) },
    )
  }, 60_000)

  test('and where such a text is cut changes nothing', () => {
    fc.assert(
      fc.property(hostileText, (text) => expect(ground(text.split(''))).toBe(ground([text]))),
      { numRuns: runs(1500) },
    )
  }, 60_000)
})

describe('what is no markup', () => {
  test('passes as it is', () => {
    for (const text of plainProse) expect(ground([text])).toBe(text)
  })

  test('is held back for no more than a word', () => {
    for (const prose of ['Seals swim <3 & bark; a<b, see [x] (or [y]) here: it is so. ', '- a\n- b [1]\n\n> c d\n']) {
      const grounding = new Grounding()
      grounding.addSources(sources)
      let behind = 0
      let most = 0
      for (const char of prose.repeat(20)) {
        behind++
        for (const part of grounding.push(char)) if (part.type === 'text-delta') behind -= part.text.length
        most = Math.max(most, behind)
      }
      expect(most).toBeLessThanOrEqual(12)
    }
  })
})

test('a text of an answer or a page is guarded whole, in pieces of a thousand characters', () => {
  const text = `${'[x](//evil.example) and more. '.repeat(100)}`
  const pieces = guardingText(text.slice(0, 2000))
  let count = 0
  while (!pieces.next().done) count++
  expect(count).toBe(2)
  expect(guardedText(text)).toBe('[x] (// evil.example) and more. '.repeat(100))
})

describe('the least is changed', () => {
  test.each([
    ['a tag gets a space', 'A <script>x</script> b', 'A < script>x< /script> b'],
    ['a generic that looks like a tag gets a space', 'A List<String> b', 'A List< String> b'],
    [
      'a type in prose gets a space',
      'A Map<string, number> #include <stdio.h> b',
      'A Map< string, number> #include < stdio.h> b',
    ],
    ['a page in a fence gets spaces', '```html\n<p>x</p>\n```', '```html\n< p>x< /p>\n```'],
    ['code in a list gets spaces', '- a\n\n  ```js\n  x<y>[0](1)\n  ```', '- a\n\n  ```js\n  x< y>[0] (1)\n  ```'],
    ['code behind a block of math gets spaces', '$$\nx\n$$\n\n```js\nx<y>\n```', '$$\nx\n$$\n\n```js\nx< y>\n```'],
    ['and behind one that none ends', '$$ x\n\n```js\nx<y>\n```', '$$ x\n\n```js\nx< y>\n```'],
    ['code behind a price stays', 'It is $5.\n\n```js\nx<y>\n```', 'It is $5.\n\n```js\nx<y>\n```'],
    ['a fence that is open at the end is closed', 'A\n\n```js\nx<y>', 'A\n\n```js\nx<y>\n```'],
    ['a fence behind a line of text gets an empty line', 'A\n```js\nx<y>\n```', 'A\n\n```js\nx<y>\n```'],
    ['a link leaves its words', 'A [x](//evil.example/y) ![z](/y) b', 'A x z b'],
    ['a link that only a parser of Markdown sees gets a space', 'A [x](\n//evil.example)', 'A [x] (\n// evil.example)'],
    ['a definition gets a space', 'A [1].\n\n[x]: //evil.example', 'A [1].\n\n[x] : // evil.example'],
    [
      'a name with another one gets a space',
      'A Booking.com/Expedia, reddit.com/ b',
      'A Booking.com/ Expedia, reddit.com/ b',
    ],
    ['an entity becomes its character', 'Q&amp;A &quot;x&quot; &eacute; &#x202e;y', 'Q&A "x" é \ufffdy'],
    [
      'an entity that has a meaning in Markdown stays',
      '&lt;b&gt; &#42; &amp;lt; &#91;',
      '&lt;b&gt; &#42; &amp;lt; &#91;',
    ],
  ])('%s', (_, text, expected) => {
    expect(ground([text])).toBe(expected)
  })
})
