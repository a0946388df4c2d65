import { expect, test } from 'bun:test'
import { structureOf } from '@csp/testing/structure/structure'
import { extractHtml } from '../../src/extract/html.ts'

const prose = '<p>Words of prose that are long enough to be taken for what the page says.</p>'

/** As each of these programs writes code. */
test.each([
  ['Sphinx', '<div class="highlight-python notranslate"><div class="highlight"><pre>CODE</pre></div></div>', 'python'],
  ['MDN', '<pre class="brush: js notranslate"><code>CODE</code></pre>', 'js'],
  [
    'Docusaurus',
    '<div class="language-jsx codeBlockContainer_x"><pre tabindex="0"><code>CODE</code></pre></div>',
    'jsx',
  ],
  ['GitHub', '<div class="highlight highlight-source-shell"><pre>CODE</pre></div>', 'shell'],
  [
    'Rouge',
    '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre><code>CODE</code></pre></div></div>',
    'ruby',
  ],
  [
    'Shiki',
    '<pre class="shiki github-dark" data-language="ts"><code><span class="line">CODE</span></code></pre>',
    'ts',
  ],
  ['Prism', '<pre class="language-css"><code class="language-css">CODE</code></pre>', 'css'],
  ['highlight.js', '<pre><code class="hljs python">CODE</code></pre>', 'python'],
  ['MediaWiki', '<div class="mw-highlight mw-highlight-lang-python mw-content-ltr"><pre>CODE</pre></div>', 'python'],
  ['Medium', '<pre data-code-block-lang="python"><span>CODE</span></pre>', 'python'],
  ['Enlighter', '<pre class="EnlighterJSRAW" data-enlighter-language="java">CODE</pre>', 'java'],
  ['Crayon', '<pre class="lang:python decode:true">CODE</pre>', 'python'],
  ['DokuWiki', '<pre class="code bash">CODE</pre>', 'bash'],
  ['PyPI', '<pre lang="python"><code>CODE</code></pre>', 'python'],
  ['GitLab, of a word of people', '<pre lang="en">CODE</pre>', ''],
])('the language of code by %s is told', (_, html, language) => {
  const page = `<html><body><main><h1>Title</h1>${prose}${html.replace('CODE', 'first = 1\nsecond = 2')}${prose}</main></body></html>`
  const { fences } = structureOf(extractHtml(page, 'https://example.com/', true).contents.markdown)
  expect(fences).toEqual([{ lang: language, code: 'first = 1\nsecond = 2' }])
})
