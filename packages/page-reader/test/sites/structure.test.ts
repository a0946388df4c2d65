import { expect, test } from 'bun:test'
import { extract } from '../../src/extract/extract.ts'
import type { SiteName } from '../../src/sites/sites.ts'

// What a site offers to programs keeps the structure that its pages have.

const body = [
  '<p>It weighs 10<sup>9</sup> kg.</p>',
  '<table><thead><tr><th>Lamp</th><th>Watts</th></tr></thead><tbody><tr><td rowspan="2">fog</td><td>40</td></tr><tr><td>60</td></tr></tbody></table>',
  '<div class="highlight highlight-source-ts"><pre><span class="pl-k">const</span> on = true\nlamp.<span>blink</span>(2)</pre></div>',
  '<pre class="lang-py s-code-block"><code class="hljs language-python">def on():\n    return 2\n</code></pre>',
  '<p><math-renderer>x</math-renderer><ul class="contains-task-list"><li><input type="checkbox" checked> lit</li></ul></p>',
].join('')

const forms: readonly (readonly [SiteName, string, readonly unknown[]])[] = [
  [
    'github-issue',
    'https://github.com/lamps/harbour/issues/7',
    [{ title: 'Lamp', number: 7, state: 'open', created_at: '2026-03-04T00:00:00Z', body_html: body }, []],
  ],
  [
    'stack-exchange',
    'https://stackoverflow.com/questions/7/lamp',
    [
      {
        items: [
          { title: 'Lamp', body: '<p>How?</p>', creation_date: 1_772_000_000, score: 1, answer_count: 1, tags: [] },
        ],
      },
      { items: [{ body, creation_date: 1_772_000_000, score: 2, is_accepted: true }] },
    ],
  ],
]

test.each(forms)('a page of %s has its tables, code and powers', async (site, url, parts) => {
  const bytes = new TextEncoder().encode(JSON.stringify(parts))
  const { contents } = await extract({ body: bytes, contentType: 'application/json', url, mainContentOnly: true, site })
  for (const part of [
    'It weighs 10^9 kg.',
    '| Lamp | Watts |\n| --- | --- |\n| fog | 40 |\n| fog | 60 |',
    '```ts\nconst on = true\nlamp.blink(2)\n```',
    '```python\ndef on():\n    return 2\n```',
    '- [x] lit',
  ])
    expect(contents.markdown).toContain(part)
})
