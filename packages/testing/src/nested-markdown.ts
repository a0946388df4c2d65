import fc from 'fast-check'

const words = (text: string): readonly string[] => text.split(' ')

const languages = [
  ...['', '', '[1]', ' [1]', 'js [1]', 'js title="a"', '```'],
  ...words('js html mermaid vega-lite md python xyz math latex xml'),
]

/** What a client would load, run or link. */
const active = [
  ...[
    '![x](//evil.example/p.png?q=S)',
    '<img src=x onerror=alert(1)>',
    '[x](//evil.example)',
    '[x](javascript:alert(1))',
  ],
  ...['<script>alert(1)</script>', '<steam://run>', '<x_y onmouseover=alert(1)>', '<a.b onclick=x>', '<a= onclick=x>'],
  ...['[1]: //evil.example/a', '[x]: //evil.example', '<iframe src=//e.example>', '//evil.example/p.png'],
  ...['"url": "//evil.example/d.csv"', '\\href{javascript:alert(1)}{x}', 'click A "javascript:alert(1)"'],
  ...['<svg/onload=alert(1)>', '<!--', '-->', '</p>', '<?php', '&lt;img src=x&gt;', '![x][r]', '"\\/\\/evil.example"'],
  ...['[r]: javascript:alert(1)', '"\\u002f\\u002fevil.example/x"', '![](data:image/svg+xml,<svg/onload=alert(1)>)'],
]

const bits = [
  ...words(
    '` `` ``` ```` ~ ~~ ~~~ ~~~~ $ $$ \\( \\) \\[ \\] \\begin{equation} \\end{equation} \\ce{ \\pu{ } | * ** _ __',
  ),
  ...words(
    '[ ] ( ) < > ! \\ \\` \\$ & &#96; &lt; &dollar; &grave; === --- *** ::: |--|--| a 1 . , " \' { js html mermaid',
  ),
  ...words(
    'vega-lite md python http:// www. evil.com evil.com/x @ a@b.example :// // : ^ = == + &nbsp; 请 é 😀 <b> </b> <br>',
  ),
  ...words('[1] [2] [9] [1][2] [^1] [x] [x]: https://www.example.com/a/ https://evil.example/x </a>'),
  ...[
    '\n',
    '\n',
    '\n',
    '\n\n',
    '\n\n',
    '\n> ',
    '\n- ',
    '\n1. ',
    '\n2. ',
    '\n   ',
    '\n    ',
    '\n  ',
    '\n\t',
    '- ',
    '> ',
    '# ',
  ],
  ...['\n|--|--|\n', 'b c', 'word ', ' ', ' ', '  ', ' [1]', '[^1]: ', '\u200b', '\v', '\f', '\r', '\u2028', '\u00a0'],
  ...['<a href="https://www.example.com/a/">', '[First page](https://www.example.com/a/)'],
]

/**
 * Texts of all that Markdown is made of, nested and in rows: code, formulas, fences, quotes, lists, tables, markers, links,
 * images, HTML, entities and escapes, open and closed, at the start of a line and within it.
 */
export const nestedMarkdown: fc.Arbitrary<string> = fc
  .letrec<{ block: string; piece: string }>((tie) => {
    const block = tie('block')
    return {
      piece: fc
        .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...bits) }, fc.constantFrom(...active)), {
          minLength: 1,
          maxLength: 5,
        })
        .map((parts) => parts.join('')),
      block: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'markdown' },
        { weight: 6, arbitrary: tie('piece') },
        { weight: 2, arbitrary: emphasised(block) },
        { weight: 4, arbitrary: fenced(block) },
        { weight: 1, arbitrary: indented(block) },
        { weight: 1, arbitrary: tabled(block) },
        { weight: 2, arbitrary: enclosed(block) },
        { weight: 4, arbitrary: fc.array(block, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')) },
      ),
    }
  })
  .block.map((text) => text.slice(0, 700))

/** True in so many of ten cases. */
function mostly(weight: number): fc.Arbitrary<boolean> {
  return fc.nat(9).map((number) => number < weight)
}

function emphasised(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const run = fc.constantFrom('`', '``', '```', '$', '$$', '~', '~~', '*', '**', '_', '|')
  return fc.tuple(run, inner, mostly(8)).map(([mark, text, isClosed]) => mark + text + (isClosed ? mark : ''))
}

function fenced(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .record({
      fence: fc.constantFrom('```', '```', '```', '````', '~~~', '~~~~'),
      before: fc.constantFrom('', '', '', '  ', '   ', '    ', '- ', '> ', '1. ', '\t'),
      language: fc.constantFrom(...languages),
      text: inner,
      /** Whether each line of the text is in the block that the fence is in. */
      isWithin: mostly(7),
      end: fc.option(fc.constantFrom('', '```', '~~~', '`````'), { freq: 4 }),
      behind: fc.constantFrom('', '', '', '', ' ', 'x', ' [1]', '[1]'),
      isNewLine: mostly(9),
    })
    .map(({ fence, before, language, text, isWithin, end, behind, isNewLine }) => {
      const margin = before.replace(/[^ \t>]/g, ' ')
      const body = isWithin ? marginal(text, margin, margin) : text
      const last = end === null ? '' : `\n${margin}${end || fence}${behind}`
      return `${isNewLine ? '\n' : ''}${before}${fence}${language}\n${body}${last}${isNewLine ? '\n' : ''}`
    })
}

function indented(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const prefix = fc.constantFrom('> ', '- ', '1. ', '   ', '    ', '* ', '2. ', '[^1]: some words ')
  return fc.tuple(prefix, inner).map(([first, text]) => {
    const margin = first.startsWith('>') ? '> ' : ' '.repeat(Math.min(first.length, 4))
    return `\n${marginal(text, first, margin)}\n`
  })
}

function marginal(text: string, first: string, others: string): string {
  return first + text.replaceAll('\n', `\n${others}`)
}

function tabled(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(inner, inner, mostly(8)).map(([one, two, isLine]) => {
    const cell = isLine ? one.replaceAll('\n', ' ') : one
    return `\n| a | b |\n|---|---|\n| ${cell} | ${two.replaceAll('\n', ' ')} |\n`
  })
}

function enclosed(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const pair = fc.constantFrom(
    ...([
      ['\\(', '\\)'],
      ['\\[', '\\]'],
      ['$$\n', '\n$$'],
      ['\\begin{equation}\n', '\n\\end{equation}'],
      ['\\ce{', '}'],
      ['$', '$'],
      ['$\n', '\n$'],
      ['\\[\n', '\n\\]'],
      [':::artifact\n', '\n:::'],
      ['<pre>', '</pre>'],
      ['[', '](//evil.example)'],
      ['<a href="https://www.example.com/a/">', '</a>'],
    ] as const),
  )
  return fc
    .tuple(pair, inner, mostly(8))
    .map(([[open, close], text, isClosed]) => open + text + (isClosed ? close : ''))
}
