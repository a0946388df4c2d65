import { extractHtml, extractRough } from '@csp/page-reader/extract/html'
import { htmlToMarkdown } from '@mdream/js'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { summarise } from '../statistics.ts'
import { articlePages } from './articles.ts'
import { halves, mean, withInterval } from './halves.ts'

const readers: Readonly<Record<string, (html: string, url: string) => string>> = {
  csp: (html, url) => extractHtml(html, url, true).contents.text,
  'csp, roughly': (html, url) => withoutMarkup(extractRough(html, url).contents.markdown),
  'Readability and linkedom alone': (html) => new Readability(parseHTML(html).document).parse()?.textContent ?? '',
}

/** Prints how well the text of articles is found: precision, recall and F1 as the benchmark defines them. */
export function measureExtraction(folder: string, print: (line: string) => void): void {
  const pages = articlePages(folder)
  print(`\n| Extraction, ${pages.length} pages | half | F1 | precision | recall | ms of processor, median | p90 |`)
  print('|---|---|---:|---:|---:|---:|---:|')
  for (const [name, read] of Object.entries(readers)) {
    for (const { html, url } of pages.slice(0, 20)) attempt(() => read(html, url))
    const measured = pages.map(({ half, body, html, url }) => {
      const before = process.cpuUsage()
      const text = attempt(() => read(html, url)) ?? ''
      const { user, system } = process.cpuUsage(before)
      return { half, ms: (user + system) / 1000, ...matches(body, text) }
    })
    for (const half of halves) {
      const own = measured.filter((page) => page.half === half)
      const { median, p90 } = summarise(own.map(({ ms }) => ms))
      const figures = [f1, precision, recall].map((measure) => withInterval(own, measure))
      print(`| ${name} | ${half} | ${figures.join(' | ')} | ${median.toFixed(1)} | ${p90.toFixed(1)} |`)
    }
  }
}

function attempt(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function withoutMarkup(markdown: string): string {
  const linkless = markdown.replace(/!\[[^[\]]*\]\([^()]*\)/g, '').replace(/\]\([^()]*(?:\([^()]*\))?[^()]*\)/g, ']')
  return htmlToMarkdown(linkless, { format: 'text' })
}

/** What was found, found in excess and missed, as shares. */
interface Matches {
  readonly found: number
  readonly excess: number
  readonly missed: number
}

/** Compares the runs of four words of two texts. */
function matches(expected: string, actual: string): Matches {
  const [wanted, had] = [shingles(expected), shingles(actual)]
  let [found, excess, missed] = [0, 0, 0]
  for (const key of new Set([...wanted.keys(), ...had.keys()])) {
    const [want, has] = [wanted.get(key) ?? 0, had.get(key) ?? 0]
    found += Math.min(want, has)
    excess += Math.max(0, has - want)
    missed += Math.max(0, want - has)
  }
  const all = found + excess + missed || 1
  return { found: found / all, excess: excess / all, missed: missed / all }
}

function shingles(text: string): ReadonlyMap<string, number> {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  const counts = new Map<string, number>()
  for (let start = 0; start < Math.max(1, words.length - 3); start++) {
    const key = words.slice(start, start + 4).join(' ')
    if (key) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

function precision(pages: readonly Matches[]): number {
  return mean(
    pages.filter(({ found, excess }) => found + excess > 0).map(({ found, excess }) => found / (found + excess)),
  )
}

function recall(pages: readonly Matches[]): number {
  return mean(
    pages.filter(({ found, missed }) => found + missed > 0).map(({ found, missed }) => found / (found + missed)),
  )
}

function f1(pages: readonly Matches[]): number {
  const [right, whole] = [precision(pages), recall(pages)]
  return (2 * right * whole) / (right + whole)
}
