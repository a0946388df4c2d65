import { expect, test } from 'bun:test'
import { receiptHtml } from '../../../../src/api/endpoints/receipts/html.ts'
import { receiptMarkdown } from '../../../../src/api/endpoints/receipts/markdown.ts'
import type { Receipt } from '../../../../src/domain/receipt.ts'

// A receipt as people read it: what is known is there, and what is not leaves no gap.

const url = 'https://a.example/(b)'
const plain: Receipt = {
  ...{ id: 'ab', time: '2026-11-20T10:00:00Z', question: 'Why *bees*?', model: 'sonnet', strategy: 'fast' },
  ...{ answer: '\nThey dance. [1]\n', sentences: [], sources: [{ number: 1, url, title: 'Bees', passages: [] }] },
}
const passage = (text: string) => ({ text, source: 1, place: 0 })
const checked: Receipt = {
  ...plain,
  ...{ backend: 'claude', sandbox: true },
  sentences: [
    {
      ...{ sentence: 'They dance.', start: 0, end: 11, verdict: 'found', score: 1, sources: [1] },
      passages: [passage('Bees dance.'), passage('They do.')],
    },
    {
      sentence: 'All.',
      start: 12,
      end: 16,
      verdict: 'not-read',
      score: 0,
      sources: [1],
      reason: 'unreachable' as never,
    },
  ],
  sources: [
    { ...{ number: 1, url, title: 'Bees', date: '2026-10-01', hash: 'f00', text: 'Bees dance.' }, passages: ['P'] },
  ],
}

test('a receipt in Markdown', () => {
  expect(receiptMarkdown(plain)).toBe(
    [
      ...['# Why \\*bees\\*?', '2026-11-20T10:00:00Z | sonnet | fast | receipt ab', 'They dance. [1]'],
      ...['## Sources', '1. [Bees](https://a.example/%28b%29)\n'],
    ].join('\n\n'),
  )
  const text = receiptMarkdown(checked)
  expect(text).toContain(' | claude | receipt ab\n')
  expect(text).toContain(
    [
      '- They dance. [1]\n  - found 1\n  > Bees dance. [1]',
      '  > They do. [1]\n- All. [1]\n  - not-read (unreachable)',
    ].join('\n\n'),
  )
  expect(text).toEndWith(
    '1. [Bees](https://a.example/%28b%29)\n   - published 2026-10-01\n   - SHA-256 of its text: f00\n   > P\n\n',
  )
})

test('a receipt as a page', async () => {
  const page = await receiptHtml(plain)
  expect(page).toMatch(/ content="default-src &#39;none&#39;; style-src &#39;sha256-\S+&#39;; /)
  expect(page).toContain(`rel="noopener noreferrer">Bees</a></p>\n<p>${url}</p>\n`)
  expect(page).not.toMatch(/SHA-256|<details>|undefined|published/)
  const whole = await receiptHtml(checked)
  expect(whole).toContain(`<p>${url} | published 2026-10-01</p>\n<p>SHA-256 of its text: <code>f00</code></p>`)
  expect(whole).toContain('<p class="not-read">not-read (unreachable)</p>')
  expect(whole).toContain(
    '<blockquote dir="auto">Bees dance. [1]</blockquote><blockquote dir="auto">They do. [1]</blockquote>',
  )
  expect(whole).toContain('<details><summary>Its text, as it was read</summary>')
  const untitled = await receiptHtml({ ...plain, sources: [{ number: 1, url, title: '', passages: [] }] })
  expect(untitled).toContain(`rel="noopener noreferrer">${url}</a>`)
})
