import { describe, expect, test } from 'bun:test'
import { mayHideAddress } from '@csp/lib/addresses'
import { cpuSince } from '@csp/testing/longest-turn'
import { guardedText } from '../src/answer-guard.ts'

function fence(language: string, content: string): string {
  return `\`\`\`${language}\n${content}\n\`\`\``
}

describe('a client renders', () => {
  test.each([
    ['mermaid', 'flowchart TD\nA["a: b / c"] --> B{ok?}\nB -- 10:30 --> C[/d/]\nstyle A fill:#f9f,stroke:#333;'],
    ['mermaid', '%%{init: {"theme": "forest"}}%%\nsequenceDiagram\nA->>B: 50% of it, #quot;x#quot; and a\\nline'],
    ['mermaid', '---\ntitle: Bees\n---\npie\n"data" : 3\n"metadata:x" : 2'],
    ['mermaid', 'flowchart TD\nA[Sources]:::data\nclass A data;\nclick A call show()'],
    ['vega-lite', '{"data": {"values": [{"a": "€ \\u20ac"}]}, "mark": "bar", "x": "a:Q"}'],
    ['dot', 'digraph { a -> b [label="x\\ny\\l"]; a [shape=box] }'],
    ['plantuml', '@startuml\nBob -> Alice : hello\n@enduml'],
    ['echarts', '{"series": [{"type": "pie", "data": [1, 2]}]}'],
    ['abc', 'X:1\nT:Tune\nK:C\nCDEF|GABc|'],
    ['wavedrom', '{ "signal": [{ "name": "clk", "wave": "p......" }] }'],
    ['math', '\\begin{matrix} a & b \\\\ c & d \\end{matrix} \\displaystyle x / \\alpha'],
  ])('%s where nothing in it loads or links: %j', (language, content) =>
    expect(guardedText(fence(language, content))).toBe(fence(language, content)),
  )
})

describe('no client renders', () => {
  test.each([
    ['mermaid', "A@{ img: 'https:evil.example/p.png' }"],
    ['mermaid', "A@{ img: '/\\evil.example/p.png' }"],
    ['mermaid', 'A@{ img: "\\U00000068ttps:evil.example/p.png" }'],
    ['mermaid', 'style A fill:url(/p.svg)'],
    ['mermaid', '%%{init: {"themeCSS": "@import \'x.css\'"}}%%'],
    ['mermaid', 'click A href "java\\tscript:alert(1)"'],
    ['mermaid', 'click A href "ht\u2002tps:evil.example"'],
    ['mermaid', `flowchart TD\n${'A --> B\n'.repeat(1200)}`],
    // Chromium asks for the host `%20x.evil.example`.
    ['mermaid', 'A@{ img: "// x.evil.example/p.png" }'],
    ['mermaid', 'A@{ img: "//x.evil.example/p.png" }'],
    ['mermaid', 'click A href "/\n/evil.example"'],
    ['mermaid', 'link A: x @ /\ufeff/evil.example'],
    ['mermaid', 'click A href "/\n     /evil.example"'],
    ['mermaid', 'click A href "ht\n  tps:evil.example"'],
    ['mermaid', 'A@{ img: ws:evil.example/p.png }'],
    ['mermaid', 'click A href "mailto:a@evil.example"'],
    ['mermaid', 'click A href "blob:evil.example"'],
    ['mermaid', 'click A href "intent:#Intent;package=x;end"'],
    ['mermaid', 'click A href "file:/\\evil.example"'],
    ['mermaid', 'link A: x @ https%3Aevil.example'],
    ['mermaid', 'link A: x @ https%253aevil.example'],
    ['mermaid', 'click A href "https#amp;colon;evil.example"'],
    ['newdiagram', 'img: https:evil.example/p.png'],
    ['vega', '{"marks": [{"encode": {"update": {"url": {"signal": "\'ht\' + \'tps\'"}}}}]}'],
    ['vega-lite', '{"encoding": {"href": {"field": "u"}}}'],
    ['echarts', '{ "formatter": "ht" + "tps:/" }'],
    ['plantuml', '!$x = "ht"\n!include $x'],
    ['d2', `vars: { x: ht }\na: { icon: \${x}tps }`],
    ['graphviz', 'digraph { a [URL="https&#58;evil.example"] }'],
  ])('%s with %j, which stays as text', (language, content) => {
    const text = guardedText(fence(language, content))
    expect(text.slice(0, 4)).toBe('```\n')
    expect(text.split('\n').length).toBe(content.split('\n').length + 2)
  })
})

test.each([
  ['an entity', '&bsol;style{x}', '&bsol; style{x}'],
  ['an entity in its name', '\\st&#121;le{x}', '\\st &#121;le{x}'],
  ['two backslashes', '\\\\bbox[x]{y}', '\\\\ bbox[x]{y}'],
  ['capitals', '\\MmlToken{mi}[x]{y}', '\\ MmlToken{mi}[x]{y}'],
  ['a file', '\\input{/etc/passwd}', '\\ input{/etc/passwd}'],
  ['no command', '\\styles \\displaystyle \\inputs', '\\styles \\displaystyle \\inputs'],
])('a command of formulas that acts is parted behind %s', (_, text, expected) =>
  expect(guardedText(text)).toBe(expected),
)

test.each([
  ['a number in a style', '$\\color{url(h\\74tps:x)}$', '$\\color{url (h\\ 74tps:x)}$'],
  ['a letter in a style', '\\(\\color{u\\rl(ht\\tps:x)}\\)', '\\(\\color{u\\rl (ht\\tps:x)}\\)'],
  ['an entity before a number', '$x$ &bsol;00074tps', '$x$ &bsol; 00074tps'],
  ['no formula', 'CSS url(x), C:\\2024\\75 and url()', 'CSS url(x), C:\\2024\\75 and url()'],
  ['a formula that has ended', '$x$ a\n\nurl(x) \\75', '$x$ a\n\nurl(x) \\75'],
])('a style in a formula loads nothing: %s', (_, text, expected) => expect(guardedText(text)).toBe(expected))

describe('a container that clients render is parted', () => {
  test.each([
    [':::mermaid\nA\n:::', ':: :mermaid\nA\n:::'],
    ['::: mermaid\nA', ':: : mermaid\nA'],
    ['- ::::mermaid-x\nA', '- :: ::mermaid-x\nA'],
    ['> :::{image} x', '> :: :{image} x'],
    [':::artifact{type="text/html"}', ':: :artifact{type="text/html"}'],
    [':::note[A {title}]', ':: :note[A {title}]'],
    ['[1]:::mermaid', '[1]:: :mermaid'],
    [`:::${'x'.repeat(200)}`, `:: :${'x'.repeat(200)}`],
  ])('%j', (text, expected) => expect(guardedText(text)).toBe(expected))

  test.each([
    ':::note\nA\n:::',
    ':::tip A title\nA\n::::',
    '::: warning',
    ':::danger[Stop]',
    'A:::c and ::: x',
    'std::vector ::x ::',
  ])('not %j', (text) => expect(guardedText(text)).toBe(text))
})

test.each([
  ['https:evil.example', 'https :evil.example'],
  ['http:/evil.example', 'http :/evil.example'],
  ['ftp:\\\\evil', 'ftp :\\\\evil'],
  ['https: and http are schemes', 'https: and http are schemes'],
])('an address without two slashes is parted in prose: %j', (text, expected) =>
  expect(guardedText(text)).toBe(expected),
)

test('a long text is judged in little time, whatever is in it', () => {
  for (const part of [
    'h\\t',
    '\\t\\t\\th',
    '/\n ',
    '/\n      ',
    'h\n ',
    'd\\a',
    'h\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t',
    '&#',
    '\\',
    '#x',
    '%',
    'https',
  ]) {
    const text = part.repeat(8000 / part.length)
    const used = process.cpuUsage()
    mayHideAddress(text)
    expect(cpuSince(used)).toBeLessThan(50)
  }
})
