import { type StructureCase, url } from './case.ts'
import { around, health, news, page, tech } from './pages.ts'

const powers: readonly (readonly [html: string, right: string, wrong?: string])[] = [
  ['10<sup>9</sup> litres', '10^9 litres', '109 litres'],
  ['2<sup>64</sup> states', '2^64 states', '264 states'],
  ['10<sup>-19</sup> joule', '10^-19 joule', '10-19 joule'],
  ['10<sup>−6</sup> of it', '10^-6 of it', '10−6 of it'],
  ['4.5 × 10<sup>30</sup> kg', '10^30 kg', '1030 kg'],
  ['25 km<sup>2</sup> of land', 'km^2 of land'],
  ['e<sup>iπ</sup> is minus one', 'e^iπ is minus', 'eiπ'],
  ['x<sup>n+1</sup> grows', 'x^n+1 grows', 'xn+1'],
  ['H<sub>2</sub>O is water', 'H_2O is|H2O is'],
  ['x<sub>1</sub>2 is odd', 'x_12 is odd|x_1 2 is odd'],
  ['log<sub>10</sub>5 of it', 'log_105 of|log_10 5 of', 'log105 of'],
  ['the 21<sup>st</sup> of May', '21st of May'],
  ['M<sup>me</sup> Curie', 'Mme Curie|M^me Curie'],
  ['7<sup>1</sup>/<sub>2</sub> inches', '7 1/2 inches|7^1/_2 inches|71/2 inches{not}|7½ inches', '71/2 inches'],
  ['CO<sub>2</sub><sup>[1]</sup> rises', 'CO_2[1] rises|CO2[1] rises', 'CO21'],
  ['the second<sup>2</sup> of them', 'second[2] of|second^2 of', 'second2 of'],
  ['a first<sup><a href="#fn1" id="fnref1">1</a></sup> note', 'first[1] note|first^1 note', 'first1 note'],
  ['in 1999<sup><a href="#fn2" class="footnote-ref">2</a></sup> it was', '1999[2] it was|1999^2 it{not}', '19992'],
]
export function* supCases(): Generator<StructureCase> {
  for (const [i, [html, right, wrong]] of powers.entries())
    yield {
      set: 'sup/sub',
      name: `sup-${i}`,
      url,
      html: page(
        around(
          tech.map((p, at) => (at === 2 ? `${p} Here is ${html}, as everybody in the town knows by now.` : p)),
          -1,
          '',
        ),
      ),
      expect: {
        marks: [
          {
            right: right.split('|').filter((x) => !x.endsWith('{not}')),
            wrong: [
              wrong,
              ...right
                .split('|')
                .filter((x) => x.endsWith('{not}'))
                .map((x) => x.slice(0, -5)),
            ].filter((each) => each !== undefined),
          },
        ],
      },
    }
}

const mml = '<mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow>'
const frac = '<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msqrt><mn>2</mn></msqrt></mfrac>'
const katexHtml =
  '<span class="katex-html" aria-hidden="true"><span class="base"><span class="mord mathnormal">E</span><span class="mrel">=</span><span class="mord mathnormal">m</span><span class="mord"><span class="mord mathnormal">c</span><span class="msupsub"><span class="vlist"><span class="mord mtight">2</span></span></span></span></span></span>'
const mathKinds: Readonly<Record<string, readonly [html: string, tex: string, head?: string]>> = {
  mathjax2: ['<script type="math/tex">E=mc^2</script>', 'E=mc^2'],
  mathjax2preview: ['<span class="MathJax_Preview">E=mc2</span><script type="math/tex">E=mc^2</script>', 'E=mc^2'],
  mathjax2shown: [
    '<span class="MathJax_Preview"></span><span class="MathJax" id="M1" role="presentation"><nobr aria-hidden="true"><span class="math"><span>E</span><span>=</span><span>mc2</span></span></nobr><span class="MJX_Assistive_MathML" role="presentation"><math xmlns="http://www.w3.org/1998/Math/MathML">' +
      mml +
      '</math></span></span><script type="math/tex" id="M1">E=mc^2</script>',
    'E=mc^2',
  ],
  katex: [
    `<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics>${mml}<annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math></span>${katexHtml}</span>`,
    'E=mc^2',
  ],
  mathjax3: [
    `<mjx-container class="MathJax" jax="CHTML"><mjx-math class="MJX-TEX" aria-hidden="true"><mjx-mi><mjx-c></mjx-c></mjx-mi></mjx-math><mjx-assistive-mml unselectable="on" display="inline"><math xmlns="http://www.w3.org/1998/Math/MathML">${mml}</math></mjx-assistive-mml></mjx-container>`,
    'E=mc^2|E=m c^2|E=mc^{2}',
  ],
  mathml: [`<math xmlns="http://www.w3.org/1998/Math/MathML">${mml}</math>`, 'E=mc^2|E=mc^{2}'],
  mathmlFrac: [`<math xmlns="http://www.w3.org/1998/Math/MathML">${frac}</math>`, '\\frac{a+b}{\\sqrt{2}}'],
  wikipedia: [
    '<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle E=mc^{2}}"><semantics>' +
      mml +
      '<annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation></semantics></math></span><img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/abc" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle E=mc^{2}}"></span>',
    'E=mc^{2}|E=mc^2',
  ],
  imgLatex: ['<img class="latex" src="https://s0.wp.com/latex.php?latex=E%3Dmc%5E2" alt="E=mc^2">', 'E=mc^2'],
  raw: ['$E=mc^2$', 'E=mc^2', '<script src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-mml-chtml.js"></script>'],
  rawParen: [
    '\\(E=mc^2\\)',
    'E=mc^2',
    '<script src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-mml-chtml.js"></script>',
  ],
  dataLatex: ['<span data-latex="E=mc^2" class="equation">E=mc2</span>', 'E=mc^2'],
}
export function* mathCases(): Generator<StructureCase> {
  for (const [kind, [html, tex, head = '']] of Object.entries(mathKinds))
    for (const block of [false, true]) {
      let part = html
      if (block)
        part = html
          .replace('type="math/tex"', 'type="math/tex; mode=display"')
          .replace('<math ', '<math display="block" ')
          .replace('jax="CHTML"', 'jax="CHTML" display="true"')
          .replace(/^\$(.*)\$$/, '$$$$$1$$$$')
          .replace(/^\\\((.*)\\\)$/, '\\[$1\\]')
          .replace('<span class="katex">', '<span class="katex-display"><span class="katex">')
          .replace(/(<span class="katex-display">[\s\S]*)$/, '$1</span>')
      const ps = tech.map((p, at) =>
        at === 2 && !block ? `${p} The energy ${part} follows from that, as was shown long before.` : p,
      )
      yield {
        set: 'math',
        name: `math-${kind}-${block ? 'block' : 'inline'}`,
        url,
        html: page(around(ps, block ? 2 : -1, `<p>${part}</p>`), { head }),
        expect: { math: [tex.split('|')], hasNot: ['E=mc2E', 'E=mc^2E=mc^2'] },
      }
    }
}

const noteKinds: Readonly<Record<string, readonly [(n: number) => string, (ns: readonly string[]) => string]>> = {
  pandoc: [
    (n) => `<a href="#fn${n}" class="footnote-ref" id="fnref${n}" role="doc-noteref"><sup>${n}</sup></a>`,
    (ns) =>
      `<section class="footnotes" role="doc-endnotes"><hr><ol>${ns.map((t, i) => `<li id="fn${i + 1}"><p>${t}<a href="#fnref${i + 1}" class="footnote-back" role="doc-backlink">↩︎</a></p></li>`).join('')}</ol></section>`,
  ],
  kramdown: [
    (n) => `<sup id="fnref:${n}" role="doc-noteref"><a href="#fn:${n}" class="footnote" rel="footnote">${n}</a></sup>`,
    (ns) =>
      `<div class="footnotes" role="doc-endnotes"><ol>${ns.map((t, i) => `<li id="fn:${i + 1}" role="doc-endnote"><p>${t} <a href="#fnref:${i + 1}" class="reversefootnote" role="doc-backlink">&#8617;</a></p></li>`).join('')}</ol></div>`,
  ],
  gfm: [
    (n) =>
      `<sup><a href="#user-content-fn-${n}" id="user-content-fnref-${n}" data-footnote-ref aria-describedby="footnote-label">${n}</a></sup>`,
    (ns) =>
      `<section data-footnotes class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol>${ns.map((t, i) => `<li id="user-content-fn-${i + 1}"><p>${t} <a href="#user-content-fnref-${i + 1}" data-footnote-backref aria-label="Back to content">↩</a></p></li>`).join('')}</ol></section>`,
  ],
  wikipedia: [
    (n) =>
      `<sup id="cite_ref-${n}" class="reference"><a href="#cite_note-${n}"><span class="cite-bracket">[</span>${n}<span class="cite-bracket">]</span></a></sup>`,
    (ns) =>
      `<div class="reflist"><ol class="references">${ns.map((t, i) => `<li id="cite_note-${i + 1}"><span class="mw-cite-backlink"><b><a href="#cite_ref-${i + 1}">^</a></b></span> <span class="reference-text">${t}</span></li>`).join('')}</ol></div>`,
  ],
  word: [
    (n) => `<a href="#_ftn${n}" name="_ftnref${n}"><sup>[${n}]</sup></a>`,
    (ns) =>
      `<hr>${ns.map((t, i) => `<p><a href="#_ftnref${i + 1}" name="_ftn${i + 1}">[${i + 1}]</a> ${t}</p>`).join('')}`,
  ],
  plainSup: [
    (n) => `<sup>${n}</sup>`,
    (ns) => `<h3>Notes</h3>${ns.map((t, i) => `<p><sup>${i + 1}</sup> ${t}</p>`).join('')}`,
  ],
}
const notes = [
  'The minutes of the meeting are kept in the town hall.',
  'Engineers call such a gap a breach.',
  'See the timetable of the ferry.',
]
export function* noteCases(): Generator<StructureCase> {
  for (const [kind, [ref, list]] of Object.entries(noteKinds))
    for (const [name, ps] of Object.entries({ news, health })) {
      const inner = ps.map((p, i) => `<p>${i < 3 ? p.replace(/\.$/, `.${ref(i + 1)}`) : p}</p>`).join('') + list(notes)
      yield {
        set: 'notes',
        name: `note-${kind}-${name}`,
        url,
        html: page(inner),
        expect: { notes: notes.map((text, i) => ({ mark: String(i + 1), text, before: (ps[i] ?? '').slice(-20) })) },
      }
    }
}
