import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { openSite, type Site } from '../../../page-reader/local/site.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-fetch-'))
const article = `<html lang="en"><head><title>Bees</title><meta name="author" content="A. Keeper">
  <meta property="article:published_time" content="2026-05-04T10:00:00Z"></head>
  <body><nav>Menu</nav><article><h1>Bees</h1>${`<p>${'Bees hum, and they make <a href="/honey">honey</a>. '.repeat(6)}</p>`.repeat(5)}</article></body></html>`
let site: Site
let origin: string

beforeAll(async () => {
  site = await openSite({ '/bees': article })
  origin = `http://127.0.0.1:${site.port}`
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function fetchPage(...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: folder }, directory: folder })
  const code = await main(['fetch', ...args], shell)
  return { code, output: shell.printed(), errors: shell.complaints() }
}
const allowed = () => ['--pages-allow', `127.0.0.1:${site.port}`]

describe('csp fetch', () => {
  test('prints a page as Markdown, with what is known of it', async () => {
    const { code, output, errors } = await fetchPage(`${origin}/bees`, ...allowed())
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toStartWith(`Bees\n${origin}/bees | A. Keeper | 2026-05-04\n\n`)
    expect(output).toContain('\n\nBees hum')
    expect(output).not.toContain('Menu')
  })

  test.each([
    ['markdown', /^Bees\n.*\n\n.*Bees hum, and they make \[honey\]\(/s],
    ['md', /^Bees\n.*\n\n.*Bees hum, and they make \[honey\]\(/s],
    ['text', /^Bees\n.*\n\n.*Bees hum, and they make honey\./s],
    ['html', /^<(?:(?!A\. Keeper).)*Bees hum, and they make <a /s],
    ['urls', /^http:\/\/127\.0\.0\.1:\d+\/honey\n$/],
  ])('prints it as %s', async (format, expected) => {
    const { code, output, errors } = await fetchPage(`${origin}/bees`, '-f', format, ...allowed())
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toMatch(expected)
  })

  test('prints a part, and where to read on', async () => {
    const { output, errors } = await fetchPage(`${origin}/bees`, '-n', '200', '--format', 'text', ...allowed())
    expect(output.length).toBeLessThan(300)
    expect(errors).toMatch(/^\d+ more characters: --offset 1\d\d\n$/)
  })

  test('prints the JSON of /v1/extract, of a failure too', async () => {
    const found = JSON.parse((await fetchPage(`${origin}/bees`, '--json', ...allowed())).output)
    expect(found.results[0]).toMatchObject({ url: `${origin}/bees`, title: 'Bees', published_date: '2026-05-04' })
    const { code, output } = await fetchPage(`${origin}/wasps`, '--json', ...allowed())
    expect({ code, failed: JSON.parse(output).failed[0].code }).toEqual({ code: 1, failed: 'not_found' })
  })

  test.each([
    ['nonsense', 2, 'This is not the address of a page'],
    ['file:///etc/passwd', 2, 'Only pages at http://'],
    ['javascript:alert(1)', 2, 'Only pages at http://'],
    ['http://localhost', 1, '--pages-allow'],
    ['http://2130706433', 1, 'not on the public internet'],
    ['http://169.254.169.254/latest', 1, 'not on the public internet'],
  ])('says what is wrong with %s', async (url, code, message) => {
    const failed = await fetchPage(url)
    expect(failed).toMatchObject({ code, output: '' })
    expect(failed.errors).toContain(message)
  })

  test('is held to the settings', async () => {
    expect(await fetchPage(`${origin}/bees`, ...allowed(), '--pages', 'off')).toMatchObject({ code: 2, output: '' })
    const search = await fetchPage(`${origin}/bees`, ...allowed(), '--pages', 'search')
    expect(search).toMatchObject({ code: 1, output: '' })
    expect(search.errors).toContain('--pages search')
    expect((await fetchPage('https://example.org', '--pages', 'some')).code).toBe(2)
    expect((await fetchPage('https://example.org', '--pages-allow', 'http://x/')).code).toBe(2)
    expect((await fetchPage('https://example.org', '--format', 'pdf')).code).toBe(2)
  })
})
