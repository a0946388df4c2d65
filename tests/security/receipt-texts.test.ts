import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '@csp/lib/json'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { main } from '../../src/runtime/cli/main.ts'
import { receiptFiles } from '../../src/storage/receipt-files.ts'
import { testApp } from '../api/test-app.ts'
import { testShell } from '../runtime/test-shell.ts'
import { foreignInPage } from '../support/readers/pages.ts'
import { keepReceiptsIn, stackOver, writer } from './letter-answers.ts'

// A receipt holds what a model wrote and what a page has of it. Whoever reads it, in each of its forms, meets it dead.

const folder = mkdtempSync(join(tmpdir(), 'csp-receipt-texts-'))
const directory = join(folder, 'receipts')
keepReceiptsIn(directory)
const hostile = [
  ...Object.values(hostileMarkdown).filter((text) => text.length < 500),
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)> \' onmouseover=alert(1)',
  '</div></main><iframe src=//evil.example></iframe><base href=//evil.example>',
  '&lt;img src=x onerror=alert(1)&gt; &#60;script&#62;',
  '\u001b]8;;https://evil.example\u0007a\u001b]8;;\u0007 \u202ea\u0000',
]
const written = hostile.map((text) => `Seals bark at night: ${text} [1].`).join('\n\n')
const isSource = (address: string) => /^https:\/\/(?:seals|more)\.example\/a?$/.test(address)

let app: ReturnType<typeof testApp>
let id = ''

beforeAll(async () => {
  const executor = stackOver(writer({ text: written, piece: 50 }), written.replaceAll(' [1]', ''))
  const receipts = receiptFiles({ directory, maxBytes: 1e7, maxDays: 9 })
  app = testApp(Object.assign(executor, { requests: [] }) as never, { receipts })
  const body = JSON.stringify({ model: 'sonar-pro', messages: [{ role: 'user', content: hostile.join('\n') }] })
  const reply = await app.request('/chat/completions', { method: 'POST', body })
  id = reply.headers.get('x-csp-receipt') ?? ''
  await executor.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

async function printed(...words: readonly string[]): Promise<string> {
  const shell = testShell({ environment: { HOME: folder, CSP_STATE_DIR: folder }, directory: folder })
  expect([await main(['receipt', id, ...words], shell), shell.complaints()]).toEqual([0, ''])
  return shell.printed()
}

const forms = {
  '/v1/receipts': async (format: string) => (await app.request(`/v1/receipts/${id}?format=${format}`)).text(),
  'csp receipt': (format: string) => printed(...(format === 'markdown' ? [] : [`--${format}`])),
}

describe.each(Object.entries(forms))('%s', (_, read) => {
  test('as Markdown has all of them dead', async () => {
    const markdown = await read('markdown')
    expect(markdown).toContain('## Sentences')
    expect(liveMarkup(markdown).filter((line) => !isSource(line.split(' ').at(-1) ?? ''))).toEqual([])
  })

  test('as HTML is made of its own elements, and leads to its sources', async () => {
    const html = await read('html')
    expect(html).toContain('<p class="not-')
    expect(html).not.toMatch(/[^\t\n\x20-\x7e\u{a0}-\u{10ffff}]|[\u202a-\u202e\u2066-\u2069]/u)
    expect(foreignInPage(html, isSource)).toEqual([])
  })

  test('as JSON quotes all of them dead', async () => {
    const { answer, sentences }: { answer: string; sentences: readonly unknown[] } = JSON.parse(await read('json'))
    expect(sentences.length).toBeGreaterThan(20)
    expect(liveMarkup(answer)).toEqual([])
    const quoted = (value: unknown): readonly string[] =>
      typeof value === 'string'
        ? [value]
        : isObject(value) || Array.isArray(value)
          ? Object.values(value).flatMap(quoted)
          : []
    for (const text of new Set(sentences.flatMap(quoted))) expect(liveMarkup(text)).toEqual([])
  })
})
