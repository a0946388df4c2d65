import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkSentences } from '@csp/evidence/check'
import { passageFinder } from '@csp/evidence/has-passage'
import { languages } from '../../../../packages/evidence/test/languages.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { receiptFiles } from '../../../../src/storage/receipt-files.ts'
import { openSite, type Site } from '../../../page-reader/local/site.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-receipt-'))
const { page: text = '', right = [] } = languages['en'] ?? {}
const [said = ''] = right
const pages: Record<string, string> = {}
let site: Site
let origin: string
let id: string

const htmlOf = (markdown: string) =>
  `<html lang="en"><body><article>${markdown
    .split('\n\n')
    .map((part) => `<p>${part.replace('# ', '')}</p>`)
    .join('')}</article></body></html>`

beforeAll(async () => {
  pages['/park'] = htmlOf(text)
  site = await openSite(pages)
  origin = `http://127.0.0.1:${site.port}`
  id = await keep('how large is the park?')
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function keep(question: string): Promise<string> {
  const store = receiptFiles({
    directory: join(folder, '.local', 'state', 'csp', 'receipts'),
    maxBytes: 1e9,
    maxDays: 9,
  })
  const answer = `${said} [1]`
  const citations = [{ number: 1, start: answer.length - 3, end: answer.length }]
  const sentences = checkSentences({ text: answer, citations }, () => ({ text }))
  const sources = [{ number: 1, url: `${origin}/park`, title: 'Park', passages: [], text }]
  const draft = { owner: 'phone', question, model: 'claude-x', strategy: 'standard', answer, sentences, sources }
  const kept = (await store.keep(async () => draft)) ?? ''
  await store.flush()
  return kept
}

async function receipt(...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: folder }, directory: folder })
  const code = await main(['receipt', ...args], shell)
  return { code, output: shell.printed(), errors: shell.complaints() }
}
const again = (...more: readonly string[]) => receipt(id, '--again', '--pages-allow', `127.0.0.1:${site.port}`, ...more)

describe('csp receipt', () => {
  test('lists the last receipts, and control characters of a question reach no terminal', async () => {
    const other = await keep('what \x1b[31mis\u202e red?')
    const { code, output } = await receipt()
    expect(code).toBe(0)
    expect(output).toMatch(new RegExp(`${id} +1 found +how large`))
    expect(output).not.toMatch(/[\x1b\u202e]/)
    const [last] = JSON.parse((await receipt('-n', '1', '--json')).output)
    expect(last).toMatchObject({ id: other, verdicts: { found: 1, partly: 0 } })
  })

  test('prints one as Markdown, JSON or HTML', async () => {
    expect((await receipt(id)).output).toStartWith('# how large is the park?\n')
    expect(JSON.parse((await receipt(id, '--json')).output)).toMatchObject({
      object: 'receipt',
      id,
      sources: [{ text }],
    })
    expect((await receipt(id, '--html')).output).toStartWith('<!doctype html>')
  })

  test.each(['../../keys', 'f'.repeat(32)])('has no receipt %s', async (wrong) => {
    const { code, errors } = await receipt(wrong)
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('There is no receipt') })
  })

  test('--again says that what was cited still stands, whatever came around it', async () => {
    pages['/park'] = htmlOf(`${text}\n\nA new paragraph about something else entirely.`)
    const { code, output } = await again()
    expect({ code, output }).toEqual({ code: 0, output: `[1] ${origin}/park: changed, what was cited still stands\n` })
  })

  test('--again names the cited passages that are gone, and ends with 1', async () => {
    pages['/park'] = htmlOf('# Park\n\nThis page has been rewritten, and says nothing of what it said before.')
    const { code, output } = await again()
    expect(code).toBe(1)
    expect(output).toStartWith(`[1] ${origin}/park: changed\n    gone: `)
    expect(JSON.parse((await again('--json')).output)).toMatchObject({
      id,
      stands: false,
      sources: [{ state: 'changed' }],
    })
  })

  test('--again says that a page cannot be reached, and ends with 1', async () => {
    delete pages['/park']
    const { code, output } = await again()
    expect(code).toBe(1)
    expect(output).toStartWith(`[1] ${origin}/park: unreachable: `)
    const { errors } = await again('--pages', 'off')
    expect(errors).toBe('Pages cannot be read: --pages off (CSP_PAGES) is set.\n')
  })

  test('is named for --again and --html, and the list has twenty', async () => {
    for (const flag of ['--again', '--html']) {
      const { code, errors } = await receipt(flag)
      expect([code, errors]).toEqual([2, 'Name a receipt: csp receipt lists the last ones.\n'])
    }
    for (let at = 0; at < 21; at++) await keep(`question ${at}`)
    expect(JSON.parse((await receipt('--json')).output)).toHaveLength(20)
    expect(JSON.parse((await receipt('--json', '-n', '10000')).output).length).toBeGreaterThan(20)
    for (const n of ['0', '10001']) expect((await receipt('-n', n)).errors).toContain('from 1 to 10000')
    expect((await receipt()).output).not.toContain(' 0 partly')
  })

  test('is there for no answer yet in a new home', async () => {
    const shell = testShell({ environment: { HOME: join(folder, 'new') }, directory: folder })
    expect(await main(['receipt'], shell)).toBe(0)
    expect(shell.printed()).toStartWith(
      'There are no receipts. A written answer whose pages were read, or quoted by the search, leaves one;',
    )
  })
})

test.each(Object.entries(languages))('in %s every passage is found in the page that it is from', (_, language) => {
  const claims = [...language.right, ...language.wrong.map(([claim]) => claim)]
  const has = passageFinder(language.page)
  for (const claim of claims) {
    const answer = `${claim} [1]`
    const citations = [{ number: 1, start: answer.length - 3, end: answer.length }]
    for (const { passage } of checkSentences({ text: answer, citations }, () => ({ text: language.page }))) {
      if (passage) expect([has(passage), has(passage, language.page)]).toEqual([true, true])
    }
  }
  const never = `${language.right[0]} This was never there.`
  expect(has({ text: never, source: 1, place: 0 })).toBe(false)
})
