import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractHtml, extractRough } from '@csp/page-reader/extract/html'
import { z } from 'zod'
import { decodeText } from '../../packages/page-reader/src/extract/charset.ts'
import { halfOf, halves, withInterval } from './halves.ts'

const pagesSchema = z.record(z.string(), z.object({ file: z.string(), date: z.string().nullable() }))

/** Python writes `NaN` where a field has nothing. */
function readPages(path: string): Readonly<z.infer<typeof pagesSchema>> {
  return pagesSchema.parse(JSON.parse(readFileSync(path, 'utf8').replace(/: NaN(?=[,\s}])/g, ': null')))
}

const readers = { csp: (html: string, url: string) => extractHtml(html, url, true), 'csp, roughly': extractRough }

/** Prints how often the date of publication is right, wrong or missing. */
export function measureDates(folder: string, print: (line: string) => void): void {
  const pages = ['eval_mediacloud_2020.json', 'eval_default.json'].flatMap((name) =>
    Object.entries(readPages(join(folder, 'tests', name))),
  )
  print(`\n| Dates, ${pages.length} pages | half | F | right | wrong |`)
  print('|---|---|---:|---:|---:|')
  for (const [name, read] of Object.entries(readers)) {
    const measured = pages.map(([url, { file, date }]) => {
      const found = dateOf(() => read(htmlOf(folder, file), url))
      return { half: halfOf(url), isRight: found === date, isWrong: found !== undefined && found !== date }
    })
    for (const half of halves) {
      const own = measured.filter((page) => page.half === half)
      print(`| ${name} | ${half} | ${[f, right, wrong].map((measure) => withInterval(own, measure)).join(' | ')} |`)
    }
  }
}

function htmlOf(folder: string, file: string): string {
  for (const place of ['test_set', 'cache', 'eval']) {
    try {
      return decodeText(readFileSync(join(folder, 'tests', place, file)), '')
    } catch {}
  }
  throw new Error(`No folder has the page ${file}.`)
}

/** A page that cannot be read has no date. */
function dateOf(read: () => { readonly publishedAt?: string | undefined }): string | undefined {
  try {
    return read().publishedAt
  } catch {
    return undefined
  }
}

interface Outcome {
  readonly isRight: boolean
  readonly isWrong: boolean
}

function right(pages: readonly Outcome[]): number {
  return pages.filter(({ isRight }) => isRight).length / pages.length
}

function wrong(pages: readonly Outcome[]): number {
  return pages.filter(({ isWrong }) => isWrong).length / pages.length
}

/** Of precision and recall, as that benchmark counts: a wrong date is no missing one. */
function f(pages: readonly Outcome[]): number {
  const [hits, misses] = [right(pages), wrong(pages)]
  const missing = 1 - hits - misses
  return (2 * hits) / (2 * hits + misses + missing)
}
