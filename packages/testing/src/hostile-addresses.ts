import fc from 'fast-check'

/** `¤` stands for the host. Each is an address of it to a browser, to a program that renders, or to a reader behind one. */
const forms: readonly string[] = [
  ...['https://¤/p', 'https:¤/p', 'https:/¤/p', 'https:///¤/p', 'https:\\\\¤/p', 'https:\\¤/p', 'HTTPS:¤', 'hTTp:¤/p'],
  ...['http:¤', 'ftp:¤/p', '//¤/p', '/\\¤/p', '\\\\¤/p', '\\/¤/p', '///¤/p', '/\t/¤/p', '/\n/¤', '\t//¤/p', ' //¤/p'],
  ...[
    'https:\t//¤/p',
    'ht\ntps:¤/p',
    'h\ttps://¤/p',
    'https\n:¤',
    'https:\n¤',
    '\u0001https:¤',
    'https://x@¤/p',
    '//x:y@¤',
  ],
  ...['//%65¤/p', 'https:¤:443/p', '//¤.', '//¤。', '//¤/../p', 'https:%40¤', 'www.¤/p', '¤/p?q=SECRET', 'mailto:a@¤'],
  ...['https&colon;¤/p', 'https&#58;//¤/p', 'https&#x3a;&#47;&#47;¤', '&#104;ttps:¤', '&sol;&sol;¤/p', '&bsol;&bsol;¤'],
  ...[
    'https&Tab;:¤',
    'ht&NewLine;tps:¤',
    'https&#0058//¤',
    'https#58;¤/p',
    'https#colon;//¤',
    '#104;ttps:¤',
    '#47;#47;¤',
  ],
  ...[
    '\\x68ttps:¤/p',
    '\\x2f\\x2f¤/p',
    '\\u002f\\u002f¤',
    '\\u0068ttps\\u003a¤',
    '\\U0000002f/¤',
    '\\/\\/¤',
    'https\\:¤',
  ],
  ...[
    '\\68 ttps:¤',
    '\\2f\\2f ¤',
    'ht\\tps:¤',
    'https:\\\n//¤',
    'ht\\\ntps:¤',
    '\\150ttps:¤',
    '\\u{68}ttps:¤',
    'h\\74tps:¤',
  ],
  ...[
    '%68ttps:¤',
    '%2f%2f¤',
    'https%3a¤',
    'https%3A%2F%2F¤/p',
    'javascript:location="//¤"',
    'java\tscript:fetch("//¤")',
  ],
  ...['data:text/html,<img/src=//¤>', 'blob:https://¤/p', 'view-source:https://¤', 'ws:¤', 'wss://¤', 'file://¤/p'],
  ...['/\u200b/¤', 'https\u200b:¤', 'https:\u00ad//¤', '／／¤', 'https:／／¤/p', 'ｈttps:¤', 'https：//¤', '/\ufeff/¤'],
]

/** A host of its own for each text, as browsers read it: `e7.evil.example`. */
const hosts: readonly ((name: string) => string)[] = [
  ...Array.from({ length: 6 }, () => (name: string) => `${name}.evil.example`),
  (name) => `${name}。evil．example`,
  (name) => `${name}.evil%2eexample`,
  (name) => `${name}&period;evil.example`,
  (name) => `${name.replace('e', 'ｅ')}.evil.example`,
  (name) => `${name}.ev\til.example`,
  (name) => `${name}.evil.\u00adexample`,
]

/** `§` stands for the address. */
const diagrams: readonly string[] = [
  ...["flowchart TD\n A@{ img: '§', label: 'x' }", 'flowchart TD\n A@{ img: "§", label: "x" }'],
  ...['flowchart TD\n A@{ img: §, label: x }', "graph LR\n A@{\n  img: '§'\n }", 'flowchart TD\n A@{ "img" : "§" }'],
  ...[
    'flowchart TD\n A@{ img: |\n  §\n }',
    'flowchart TD\n A@{ img: >-\n  §\n }',
    "flowchart TD\n A@{ ? img\n : '§' }",
  ],
  ...['flowchart TD\n A@{ img: &x "§", label: *x }', 'flowchart TD\n A@{ !!str img: !!str "§" }'],
  ...[
    'flowchart TD\n A[a]\n click A href "§"',
    'flowchart TD\n A[a]\n click A "§" "tip" _blank',
    'flowchart TD\n A-->B\n click A "§"',
  ],
  ...[
    'flowchart TD\n A["<a href=\'§\'>x</a>"]',
    'flowchart TD\n A["<img src=\'§\'>"]',
    'flowchart TD\n A["#lt;img src=\'§\'#gt;"]',
  ],
  ...['flowchart TD\n A["`![x](§)`"]', 'flowchart TD\n A["`[x](§)`"]', 'flowchart TD\n A["$$\\href{§}{x}$$"]'],
  ...[
    'flowchart TD\n A[a]\n style A fill:url(§)',
    'flowchart TD\n A:::c\n classDef c background:url(§)',
    'flowchart TD\n A-->B\n linkStyle 0 stroke:url(§)',
  ],
  ...[
    '%%{init: {"fontFamily": "x;background:url(§)"}}%%\nflowchart TD\n A[a]',
    "%%{init: {'themeCSS': '@import \"§\";'}}%%\nflowchart TD\n A[a]",
  ],
  ...[
    '%%{init: {"themeVariables": {"fontFamily": "x;background:url(§)"}}}%%\ngraph TD\n A',
    '%%{initialize: {"fontFamily": "x;background-image:image-set(\'§\' 1x)"}}%%\npie\n "a": 1',
  ],
  ...[
    '---\nconfig:\n  fontFamily: "x;background:url(§)"\n---\nflowchart TD\n A[a]',
    '---\nconfig: {fontFamily: \'x;background:url(§)\'}\n---\npie\n "a": 1',
  ],
  ...[
    '---\nconfig:\n  fontFamily: "x;background:\\x75rl(§)"\n---\nflowchart TD\n A',
    '---\nconfig:\n  "font\\x46amily": "x;background:u\\x72l(\'§\')"\n---\nflowchart TD\n A',
  ],
  ...[
    'sequenceDiagram\n participant A\n link A: x @ §\n A->>A: hi',
    'sequenceDiagram\n participant A\n links A: {"x": "§"}\n A->>A: hi',
  ],
  ...[
    'sequenceDiagram\n participant A\n properties A: {"class": "§"}\n A->>A: hi',
    'classDiagram\n class A\n link A "§" "t"',
    'classDiagram\n class A\n click A href "§"',
  ],
  ...[
    'gantt\n section a\n T1 :t1, 2020-01-01, 3d\n click t1 href "§"',
    'stateDiagram-v2\n A --> B\n click A href "§"',
    'C4Context\n Person(a, "A", "d", $sprite="§", $link="§")',
  ],
  ...[
    'block-beta\n a["x"]\n style a background:url(§)',
    'mindmap\n root((<img src="§">))',
    'timeline\n 2020 : <img src="§">',
    'kanban\n a[x]@{ ticket: "§" }',
  ],
  ...[
    '---\nconfig:\n  kanban:\n    ticketBaseUrl: "§#TICKET#"\n---\nkanban\n a[x]\n  b[y]@{ ticket: 1 }',
    'gitGraph\n commit id: "<img src=§>"',
    'journey\n title <a href="§">x</a>\n section a\n  b: 5: c',
  ],
  ...[
    'quadrantChart\n a: [0.1, 0.1] color: url(§)',
    'requirementDiagram\n element a {\n type: x\n docref: "§"\n }',
    'erDiagram\n A {\n string b "§"\n }',
    'architecture-beta\n service a(§)[x]',
  ],
]

const formulas: readonly string[] = [
  ...[
    '\\href{§}{x}',
    '\\url{§}',
    '\\style{background:url(§)}{x}',
    '\\style{background-image:image-set("§" 1x)}{x}',
    '\\bbox[background-image:url(§)]{y}',
  ],
  ...[
    '\\bbox[border:1px solid;background:url(§)]{y}',
    '\\mmlToken{mi}[href="§"]{z}',
    "\\mmlToken{mi}[style='background:url(§)']{z}",
    '\\require{html}\\href{§}{x}',
  ],
  ...[
    '\\unicode[x;background:url(§)]{65}',
    '\\unicode{65}\\href{§}{x}',
    '\\htmlStyle{background:url(§)}{x}',
    '\\htmlData{x=§}{y}',
    '\\htmlId{§}{y}',
    '\\htmlClass{§}{y}',
  ],
  ...[
    '\\includegraphics[width=1em]{§}',
    '\\includegraphics{§}',
    '\\cssId{a}{\\class{b}{x}}\\data[href="§"]{q}',
    '\\let\\x\\href\\x{§}{y}',
    '\\def\\x{\\href}\\x{§}{y}',
  ],
  ...[
    '\\newcommand{\\x}[1]{\\href{#1}{y}}\\x{§}',
    '\\csname href\\endcsname{§}{x}',
    '\\begin{matrix}\\href{§}{x}\\end{matrix}',
    '\\text{$\\href{§}{x}$}',
    '\\text{<img src="§">}',
  ],
  ...[
    '\\begingroup\\href {§} {x}\\endgroup',
    '\\href%\n{§}{x}',
    '\\color{url(§)}{x}',
    '\\definecolor{x}{named}{url(§)}\\color{x}y',
    '\\ce{\\href{§}{x}}',
    '\\toggle{a}{\\href{§}{b}}\\endtoggle',
  ],
  ...[
    '\\texttip{a}{<img src=§>}',
    '\\mathtip{a}{\\href{§}{b}}',
    '\\<tex-html><img src="§"></tex-html>',
    '<tex-html><a href="§">x</a></tex-html>',
    '\\style{cursor:url(§),auto}{x}',
  ],
  ...[
    '\\mmlToken{mtext}[mathbackground="url(§)"]{z}',
    '\\mmlToken{mglyph}[src="§"]{}',
    '\\mmlToken{mi}[onclick="fetch(\'§\')"]{z}',
    '\\class{x}{y}\\cssId{§}{z}',
    '\\style{--a:url(§);background:var(--a)}{x}',
  ],
]

const markdown: readonly string[] = [
  ...[
    'See § there.',
    '[x](§)',
    '![x](§)',
    '[x](<§>)',
    '![x](§ "t")',
    '[x][r]\n\n[r]: §',
    '![x][r]\n\n[r]: <§> "t"',
    '[r]: §\n\n[r]',
    '[x](\n§)',
    '![x](\n§\n)',
  ],
  ...[
    '<§>',
    '<a href="§">x</a>',
    '<img src=§>',
    "<img\nsrc='§'>",
    '<svg><image href="§"/></svg>',
    '<svg><a xlink:href="§"><text>x</text></a></svg>',
    '<math href="§"><mi>x</mi></math>',
  ],
  ...[
    '<iframe src="§">',
    '<object data="§">',
    '<video poster="§">',
    '<form action="§"><button>x',
    '<style>@import "§";</style>',
    '<p style="background:url(§)">x',
    '<link rel=stylesheet href="§">',
  ],
  ...[
    '<base href="§">',
    '<meta http-equiv=refresh content="0;url=§">',
    '<img srcset="§ 1x">',
    '<picture><source srcset="§"><img></picture>',
    '<body background="§">',
    '<table background="§"><td background="§">',
  ],
  ...[
    'Seals[^1].\n\n[^1]: §',
    'Seals[^x].\n\n[^x]: [y](§) ![z](§)',
    'Seals^[![x](§)].',
    '[![x](§)](§)',
    '[x]( § "t")',
    '![](§){width=1}',
    '![x](§ =1x1)',
    '[x](§\\)',
    '[a\\]b](§)',
    '*[x]*(§)',
  ],
  ...[
    '| a |\n|---|\n| [x](§) |',
    '| a |\n|---|\n| ![x](§) § |',
    '# [x](§)',
    '[x](§)\n===',
    '1. [r]: §\n\n[r]',
    '> [r]: §\n\n[r]',
    '- [ ] ![x](§)',
    '`a` [x](§) `',
    '``a` ![x](§) `` `',
  ],
  ...[
    '[x]\n(§)',
    '[x]:§',
    '!\\[x](§)',
    '\\![x](§)',
    '[x](&#32;§)',
    '<!-- --><img src="§">',
    '<![CDATA[<img src="§">]]>',
    '<?x <img src="§">?>',
    '[[§]]',
    '[[x|§]]',
    '![[§]]',
    '{{< figure src="§" >}}',
  ],
]

const live = [
  'mermaid',
  'Mermaid',
  'MERMAID',
  'mermaid ',
  'mermaid title="x"',
  'mermaid-x',
  '{mermaid}',
  '{.mermaid}',
  'mermaid{x}',
  'mmd',
  'sequence',
  'mermaid\t',
  ' mermaid',
  '\tmermaid',
]
const fences: readonly ((language: string, content: string) => string)[] = [
  ...['```', '~~~', '````', ':::', '::::', '::: '].map(
    (ticks) => (language: string, content: string) => `${ticks}${language}\n${content}\n${ticks.trim()}\n`,
  ),
  (language, content) => `\`\`\`${language}\n${content}`,
  (language, content) => `:::${language}\n${content}`,
  (language, content) => `<pre class="${language}">${content}</pre>`,
  (language, content) => `<pre><code class="language-${language}">${content}</code></pre>`,
  (language, content) => `a\n\`\`\`${language}\n${content}\n\`\`\`\nb`,
  (language, content) => `:::\n\`\`\`${language}\n${content}\n\`\`\`\n:::`,
]
const formulaFences = ['math', 'latex', 'tex', 'katex']
const delimiters: readonly (readonly [string, string])[] = [
  ...([
    ['$', '$'],
    ['$$', '$$'],
    ['\\(', '\\)'],
    ['\\[', '\\]'],
    ['$$\n', '\n$$'],
    ['\\\\(', '\\\\)'],
    ['\\\\[', '\\\\]'],
    ['$`', '`$'],
    ['`$', '$`'],
  ] as const),
  ...([
    ['\\begin{equation}', '\\end{equation}'],
    ['\\begin{align}\n', '\n\\end{align}'],
    ['', ''],
    ['`', '`'],
    ['$x$ ', ''],
    ['\\(x', ' y\\)'],
    ['a $', '$ b $ c'],
    ['$\n', '\n$'],
  ] as const),
]

const settings: readonly ((text: string) => string)[] = [
  ...Array.from({ length: 4 }, () => (text: string) => text),
  (text) => `Seals bark [1]. ${text} They swim.`,
  (text) => `Seals bark [1].\n\n${text}\n\nThey swim.`,
  (text) => `- a\n\n${text.replaceAll(/^/gm, '  ')}\n`,
  (text) => `1. ${text.replaceAll('\n', '\n   ')}\n`,
  (text) => `- ${text.replaceAll('\n', '\n  ')}\n`,
  (text) => `> ${text.replaceAll('\n', '\n> ')}\n`,
  (text) => `> - ${text.replaceAll('\n', '\n>   ')}\n`,
  (text) => text.replaceAll(/^/gm, '   '),
  (text) => text.replaceAll(/^/gm, '\t'),
  (text) => `---\ntitle: x\n---\n${text}`,
  (text) => `<details>\n\n${text}\n\n</details>`,
  (text) => `:::note\n${text}\n:::`,
  (text) => `[^1]: ${text.replaceAll('\n', '\n    ')}\n`,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `It is the \`90s.\n${text} \``,
  (text) => `$$\nx\n$$\n${text}`,
]

/** A text that has an address in a place where some client may load or link it; `name` is that of its host. */
export function hostileText(name: string): fc.Arbitrary<string> {
  const address = fc
    .tuple(fc.constantFrom(...forms), fc.constantFrom(...hosts))
    .map(([form, host]) => form.replaceAll('¤', () => host(name)))
  const filled = (templates: readonly string[]) =>
    fc.tuple(fc.constantFrom(...templates), address).map(([template, own]) => template.replaceAll('§', () => own))
  const diagram = fc
    .tuple(filled(diagrams), fc.constantFrom(...live), fc.constantFrom(...fences))
    .map(([content, language, fence]) => fence(language, content))
  const formula = fc
    .tuple(filled(formulas), fc.constantFrom(...delimiters))
    .map(([content, [before, after]]) => before + content + after)
  const fencedFormula = fc
    .tuple(filled(formulas), fc.constantFrom(...formulaFences), fc.constantFrom(...fences))
    .map(([content, language, fence]) => fence(language, content))
  const text = fc.oneof(
    { weight: 5, arbitrary: diagram },
    { weight: 4, arbitrary: formula },
    { weight: 1, arbitrary: fencedFormula },
    { weight: 4, arbitrary: filled(markdown) },
    { weight: 1, arbitrary: address },
  )
  return fc.tuple(text, fc.constantFrom(...settings)).map(([own, within]) => within(own))
}
