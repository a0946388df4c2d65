import { type StructureCase, url } from './case.ts'
import { esc, page, tech } from './pages.ts'

const snippets: readonly (readonly [language: string, code: string])[] = [
  ['bash', 'npm install example-sdk'],
  [
    'yaml',
    'limits:\n  cpu: 250m\n  memory: 64Mi   # less and it is killed\nreplicas: 3\nstrategy:\n  type: RollingUpdate',
  ],
  [
    'python',
    'def limit(n):\n    for i in range(n):\n        if i % 2 == 0:\n            yield i\n\nprint(list(limit(10)))',
  ],
  ['json', '{\n  "name": "limiter",\n  "port": 8080,\n  "backends": ["a", "b"],\n  "strict": true\n}'],
  ['', 'posts/\n├── 1221499500000000-c5.json\n├── 1221499500000000-k3.json\n└── 1221499500000001-k3.json'],
]
const lines = (code: string) => code.split('\n').map(esc)
// Words in coloured spans, as highlighters make them.
const coloured = (line: string) => line.replace(/[A-Za-z_]{2,}/g, (word) => `<span class="k">${word}</span>`)
const lang = (l: string) => (l ? ` class="language-${l}"` : '')
const wrappers: Readonly<Record<string, (l: string, c: string) => string>> = {
  plain: (l, c) => `<pre><code${lang(l)}>${esc(c)}</code></pre>`,
  preonly: (_, c) => `<pre>${esc(c)}</pre>`,
  hljs: (l, c) => `<pre><code class="hljs ${l}">${lines(c).map(coloured).join('\n')}</code></pre>`,
  rehype: (l, c) =>
    `<figure data-rehype-pretty-code-figure=""><pre tabindex="0" data-language="${l}"><code data-language="${l}" style="display: grid;">${lines(
      c,
    )
      .map((x) => `<span data-line=""><span style="color:#111">${coloured(x)}</span></span>`)
      .join('\n')}</code></pre></figure>`,
  shiki: (_, c) =>
    `<pre class="shiki nord" tabindex="0"><code>${lines(c)
      .map((x) => `<span class="line"><span style="color:#111">${coloured(x)}</span></span>`)
      .join('\n')}</code></pre>`,
  github: (l, c) =>
    `<div class="highlight highlight-source-${l || 'text'} notranslate position-relative overflow-auto" dir="auto"><pre>${lines(c).map(coloured).join('\n')}</pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy" value="x"><svg></svg></clipboard-copy></div></div>`,
  prismBr: (l, c) =>
    `<pre class="language-${l || 'none'}"><code class="language-${l || 'none'}">${lines(c).map(coloured).join('<br>')}</code></pre>`,
  mkdocs: (l, c) =>
    `<div class="language-${l || 'text'} highlight"><pre><span></span><code>${lines(c)
      .map(
        (x, i) =>
          `<span id="__span-0-${i + 1}"><a id="__codelineno-0-${i + 1}" name="__codelineno-0-${i + 1}" href="#__codelineno-0-${i + 1}"></a>${coloured(x)}\n</span>`,
      )
      .join('')}</code></pre></div>`,
  docusaurus: (l, c) =>
    `<div class="language-${l || 'text'} codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockContent_biex"><pre tabindex="0" class="prism-code language-${l || 'text'} codeBlock_bY9V"><code class="codeBlockLines_e6Vv">${lines(
      c,
    )
      .map(
        (x) =>
          `<span class="token-line" style="color:#393A34"><span class="token plain" style="display:inline-block">${x}</span><br></span>`,
      )
      .join(
        '',
      )}</code></pre><div class="buttonGroup__atx"><button type="button" aria-label="Copy code to clipboard">Copy</button></div></div></div>`,
  rougetable: (l, c) =>
    `<div class="language-${l || 'text'} highlighter-rouge"><div class="highlight"><pre class="highlight"><code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">${lines(
      c,
    )
      .map((_, i) => i + 1)
      .join(
        '\n',
      )}\n</pre></td><td class="rouge-code"><pre>${lines(c).map(coloured).join('\n')}\n</pre></td></tr></tbody></table></code></pre></div></div>`,
  chromatable: (l, c) =>
    `<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre tabindex="0" class="chroma"><code>${lines(
      c,
    )
      .map((_, i) => `<span class="lnt">${i + 1}\n</span>`)
      .join(
        '',
      )}</code></pre></td><td class="lntd"><pre tabindex="0" class="chroma"><code${l ? ` class="language-${l}" data-lang="${l}"` : ''}>${lines(
      c,
    )
      .map((x) => `<span class="line"><span class="cl">${coloured(x)}\n</span></span>`)
      .join('')}</code></pre></td></tr></table></div></div>`,
  chromainline: (l, c) =>
    `<div class="highlight"><pre tabindex="0" class="chroma"><code${l ? ` class="language-${l}"` : ''}>${lines(c)
      .map(
        (x, i) => `<span class="line"><span class="ln">${i + 1}</span><span class="cl">${coloured(x)}\n</span></span>`,
      )
      .join('')}</code></pre></div>`,
  pygments: (l, c) =>
    `<div class="highlight-${l || 'default'} notranslate"><div class="highlight"><pre><span></span>${lines(c)
      .map((x, i) => `<span class="linenos">${i + 1}</span>${coloured(x)}`)
      .join('\n')}\n</pre></div></div>`,
  hexo: (l, c) =>
    `<figure class="highlight ${l || 'plain'}"><table><tr><td class="gutter"><pre>${lines(c)
      .map((_, i) => `<span class="line">${i + 1}</span><br>`)
      .join('')}</pre></td><td class="code"><pre>${lines(c)
      .map((x) => `<span class="line">${coloured(x)}</span><br>`)
      .join('')}</pre></td></tr></table></figure>`,
  syntaxhl: (l, c) =>
    `<div><div class="syntaxhighlighter ${l || 'plain'}"><table border="0" cellpadding="0" cellspacing="0"><tbody><tr><td class="gutter">${lines(
      c,
    )
      .map((_, i) => `<div class="line number${i + 1}">${i + 1}</div>`)
      .join('')}</td><td class="code"><div class="container">${c
      .split('\n')
      .map(
        (x) =>
          `<div class="line">${x === '' ? '&nbsp;' : `${/^ +/.test(x) ? `<code class="plain spaces">${'&nbsp;'.repeat(/^ +/.exec(x)?.[0].length ?? 0)}</code>` : ''}<code class="plain">${esc(x.trimStart())}</code>`}</div>`,
      )
      .join('')}</div></td></tr></tbody></table></div></div>`,
  gist: (_, c) =>
    `<div class="gist"><div class="gist-file"><div class="gist-data"><table class="highlight tab-size js-file-line-container"><tbody>${lines(
      c,
    )
      .map(
        (x, i) =>
          `<tr><td id="L${i + 1}" class="blob-num js-line-number" data-line-number="${i + 1}"></td><td class="blob-code blob-code-inner js-file-line">${x === '' ? '\n' : coloured(x)}</td></tr>`,
      )
      .join('')}</tbody></table></div></div></div>`,
  linediv: (l, c) =>
    `<pre><code${lang(l)}>${lines(c)
      .map((x) => `<div class="line">${x === '' ? '<br>' : coloured(x)}</div>`)
      .join('')}</code></pre>`,
  expressive: (l, c) =>
    `<div class="expressive-code"><figure class="frame"><figcaption class="header"></figcaption><pre data-language="${l || 'plaintext'}"><code>${lines(
      c,
    )
      .map(
        (x) =>
          `<div class="ec-line"><div class="code">${x === '' ? '\n' : `<span style="--0:#C792EA">${x}</span>`}</div></div>`,
      )
      .join('')}</code></pre><div class="copy"><button title="Copy"></button></div></figure></div>`,
  texinfo: (_, c) => `<div class="example"><pre class="example">${esc(c)}</pre></div>`,
  medium: (_, c) =>
    `<pre class="ol om on oo op"><span id="4bd1" class="ov ow ht">${lines(c).join('<br>')}</span></pre>`,
  rsh: (l, c) =>
    `<div style="position:relative"><pre style="display:block;overflow-x:auto"><code class="language-${l || 'text'}" style="white-space:pre">${lines(
      c,
    )
      .map(
        (x, i) =>
          `<span style="display:block"><span class="linenumber react-syntax-highlighter-line-number" style="display:inline-block;min-width:2.25em;user-select:none">${i + 1}</span>${coloured(x)}\n</span>`,
      )
      .join('')}</code></pre></div>`,
}
export function* codeCases(): Generator<StructureCase> {
  for (const [wrapper, build] of Object.entries(wrappers)) {
    const inner = tech
      .map((p, i) => `<h2>Step ${i + 1}</h2><p>${p}</p>${build(...(snippets[i] ?? ['', '']))}`)
      .join('\n')
    yield {
      set: 'code',
      name: `code-${wrapper}`,
      url,
      html: page(inner, {
        title: 'Moving the limiter to the new cluster',
        head: '<meta property="og:type" content="article">',
      }),
      expect: {
        fences: snippets.map(([l, code]) => ({
          lang: ['preonly', 'shiki', 'texinfo', 'medium'].includes(wrapper) ? '' : l,
          code,
        })),
      },
    }
  }
}
