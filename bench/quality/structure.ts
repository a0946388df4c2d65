import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseUrl } from '@csp/lib/url'
import { extractHtml } from '@csp/page-reader/extract/html'
import type { Expected } from '@csp/testing/structure/case'
import { structureCases } from '@csp/testing/structure/grids'
import { type Share, scoreOf } from '@csp/testing/structure/score'
import { plain, squeezed, structureOf } from '@csp/testing/structure/structure'
import { htmlToMarkdown } from '@mdream/js'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { type Half, halfOf, halves } from './halves.ts'

interface Page {
  readonly name: string
  readonly html: string
  readonly url: string
  readonly half: Half
  readonly expected: Expected
  readonly links: readonly string[]
}

interface Read {
  readonly markdown: string
  readonly author?: string | undefined
}
type Reader = (html: string, url: string) => Read | Promise<Read>

/**
 * Prints how much of the structure of pages is kept: of our own, and of the fixtures of two published readers, whose
 * expected text is what that reader makes, so that it is its own ceiling there. `peers` is a folder where defuddle is
 * installed.
 */
export async function measureStructure(folder: string, peers: string, print: (line: string) => void): Promise<void> {
  const readers: Record<string, Reader> = { csp, 'Readability and mdream': readability }
  const defuddle = await defuddleReader(peers)
  if (defuddle) readers.defuddle = defuddle
  else print('\ndefuddle is not installed, so it is not measured.')
  const sets: readonly (readonly [string, readonly Page[]])[] = [
    ['our own', structureCases().map((each) => ({ ...each, half: 'tuning', expected: each.expect, links: [] }))],
    ['defuddle', defuddlePages(join(folder, 'defuddle'))],
    ['readability', readabilityPages(join(folder, 'readability'))],
  ]
  for (const [set, pages] of sets)
    for (const half of halves) {
      const own = pages.filter((page) => page.half === half)
      if (own.length > 0) await printTable(`${set}, ${half}`, own, readers, print)
    }
}

async function printTable(
  title: string,
  pages: readonly Page[],
  readers: Record<string, Reader>,
  print: (line: string) => void,
) {
  const measured: Readonly<Record<string, Share>>[][] = []
  for (const read of Object.values(readers)) {
    const scores: Readonly<Record<string, Share>>[] = []
    for (const page of pages) scores.push(await scoreBy(read, page))
    measured.push(scores)
  }
  print(`\n| ${title}, ${pages.length} pages | ${Object.keys(readers).join(' | ')} |`)
  print(`|---|${'---:|'.repeat(measured.length)}`)
  for (const part of new Set(measured.flat().flatMap((score) => Object.keys(score)))) {
    const cells = measured.map((scores) => shareOf(scores.flatMap((score) => score[part] ?? [])))
    print(`| ${part} | ${cells.join(' | ')} |`)
  }
}

async function scoreBy(read: Reader, page: Page): Promise<Readonly<Record<string, Share>>> {
  const { html, url, expected, links } = page
  try {
    const { markdown, author } = await read(html, url)
    const found = structureOf(markdown)
    const has = new Set(found.links.map(withoutPlace))
    const kept: Share = [links.filter((link) => has.has(link)).length, links.length]
    return { ...scoreOf(expected, found, author), ...(links.length > 0 ? { links: kept } : {}) }
  } catch {
    const none: Share = [0, links.length]
    return { ...scoreOf(expected, structureOf('')), ...(links.length > 0 ? { links: none } : {}) }
  }
}

/** Of the pages, and of all that is in them. */
function shareOf(shares: readonly (readonly number[] | number)[]): string {
  const pairs = Array.from({ length: shares.length / 2 }, (_, index) => [
    Number(shares[2 * index]),
    Number(shares[2 * index + 1]),
  ])
  const [hits, all] = pairs.reduce(([h = 0, a = 0], [hit = 0, of = 0]) => [h + hit, a + of], [0, 0])
  const mean = pairs.reduce((sum, [hit = 0, of = 1]) => sum + hit / of, 0) / pairs.length
  return `${mean.toFixed(2)} (${hits}/${all})`
}

const csp: Reader = (html, url) => {
  const { contents, author } = extractHtml(html, url, true)
  return { markdown: contents.markdown, author }
}

const readability: Reader = (html) => {
  const article = new Readability(parseHTML(html).document, { keepClasses: true }).parse()
  return { markdown: htmlToMarkdown(article?.content ?? ''), author: article?.byline ?? undefined }
}

async function defuddleReader(folder: string): Promise<Reader | undefined> {
  try {
    const { Defuddle } = await import(Bun.resolveSync('defuddle/node', folder))
    return async (html, url) => {
      const parsed = await Defuddle(parseHTML(html).document, url, { separateMarkdown: true, useAsync: false })
      return { markdown: parsed.contentMarkdown ?? parsed.content ?? '', author: parsed.author || undefined }
    }
  } catch {
    return undefined
  }
}

/** `tests/` of `kepano/defuddle`. */
function defuddlePages(folder: string): readonly Page[] {
  const fixtures = join(folder, 'tests/fixtures')
  if (!existsSync(fixtures)) return []
  return readdirSync(fixtures).flatMap((file) => {
    const name = file.replace(/\.html$/, '')
    const expected = join(folder, 'tests/expected', `${name}.md`)
    if (name === file || !existsSync(expected)) return []
    const html = readFileSync(join(fixtures, file), 'utf8')
    const url = /<!--\s*\{"url":"([^"]*)"/.exec(html)?.[1] ?? `https://${name.replace(/^[a-z]+--/, '')}`
    const written = readFileSync(expected, 'utf8')
    const author = /^```json\n[\s\S]*?"author": "([^"]*)"/.exec(written)?.[1]
    const { fences, tables, headings, math, quotes, links } = structureOf(
      written.replace(/^```json\n[\s\S]*?\n```\n/, ''),
    )
    const formulas = math.filter((tex) => /[\\^_=]/.test(tex)).map((tex) => [tex])
    return [
      {
        ...{ name, html, url, half: halfOf(name), links: wholeLinks(links) },
        expected: {
          fences,
          tables: plainTables(tables),
          headings: headings.filter(Boolean),
          math: formulas,
          quotes,
          author: author || undefined,
        },
      },
    ]
  })
}

/** `test/test-pages/` of `mozilla/readability`. */
function readabilityPages(folder: string): readonly Page[] {
  const pages = join(folder, 'test/test-pages')
  if (!existsSync(pages)) return []
  return readdirSync(pages).map((name) => {
    const read = (file: string) => readFileSync(join(pages, name, file), 'utf8')
    const url = 'http://fakehost/test/page.html'
    const { document } = parseHTML(`<html><body>${read('expected.html')}</body></html>`)
    const all = (selector: string) => [...document.querySelectorAll(selector)]
    for (const lineBreak of all('pre br')) lineBreak.replaceWith('\n')
    for (const link of all('h2, h3, h4').flatMap(editLinks)) link.remove()
    const fences = all('pre')
      .filter((pre) => !pre.closest('table'))
      .map((pre) => ({ lang: '', code: pre.textContent ?? '' }))
    const tables = all('table').filter((table) => !table.querySelector('table, pre') && !table.closest('pre'))
    const byline: unknown = JSON.parse(read('expected-metadata.json')).byline
    return {
      ...{ name, html: read('source.html'), url, half: halfOf(name) },
      links: wholeLinks(
        all('a[href]')
          .filter((a) => a.textContent?.trim())
          .map((a) => parseUrl(a.getAttribute('href') ?? '', url)?.href ?? ''),
      ),
      expected: {
        fences: fences.filter(({ code }) => code.trim()),
        tables: plainTables(tables.map(gridOf)),
        headings: all('h1, h2, h3, h4, h5, h6')
          .map((heading) => squeezed(heading.textContent ?? ''))
          .filter(Boolean),
        quotes: all('blockquote')
          .map((quote) => squeezed(quote.textContent ?? '').slice(0, 50))
          .filter((quote) => quote.length > 20),
        author: typeof byline === 'string' && byline ? byline : undefined,
      },
    }
  })
}

/** What leads to where a heading of MediaWiki is edited, which Readability keeps: no words of its page. */
function editLinks(heading: Element): readonly Element[] {
  return [...heading.querySelectorAll('span')].filter((span) => span.textContent === '[edit]')
}

function gridOf(table: Element): string[][] {
  const rows = [...table.querySelectorAll('tr')]
  const grid: string[][] = rows.map(() => [])
  for (const [y, row] of rows.entries()) {
    let x = 0
    for (const cell of row.children) {
      while (grid[y]?.[x] !== undefined) x++
      const [down, across] = ['rowspan', 'colspan'].map((name) => Math.min(50, Number(cell.getAttribute(name)) || 1))
      for (let dy = 0; dy < (down ?? 1); dy++)
        for (let dx = 0; dx < (across ?? 1); dx++) {
          const line = grid[y + dy]
          if (line) line[x + dx] = dx > 0 || dy > 0 ? '*' : plain(cell.textContent ?? '')
        }
    }
  }
  // A row without a word only draws a line.
  return grid
    .map((row) => Array.from(row, (cell) => cell ?? ''))
    .filter((row) => row.some((cell) => cell && cell !== '*'))
}

/** Those of rows and columns, whose cells are no paragraphs. */
function plainTables(tables: readonly string[][][]): readonly string[][][] {
  return tables.filter(
    (table) =>
      table.length >= 2 && table.some((row) => row.length >= 2) && table.flat().every((cell) => cell.length < 300),
  )
}

function wholeLinks(links: readonly string[]): readonly string[] {
  return [...new Set(links.map(withoutPlace))].filter((link) => /^https?:/.test(link))
}

function withoutPlace(link: string): string {
  const url = parseUrl(link)
  if (!url) return link
  url.hash = ''
  return url.href.replace(/\/$/, '')
}
