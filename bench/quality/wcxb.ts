import { extractHtml, extractRough } from '@csp/page-reader/extract/html'
import { type PageKind, pageKinds } from '@csp/page-reader/page'
import { summarise } from '../statistics.ts'
import { counted, takeShare } from './bags.ts'
import { halves, mean, percent } from './halves.ts'
import { wcxbPages } from './wcxb-pages.ts'

const readers = {
  csp: (html: string, url: string) => reading(extractHtml(html, url, true)),
  'csp, roughly': (html: string, url: string) => reading(extractRough(html, url)),
}

function reading({ contents, kind }: ReturnType<typeof extractHtml>): Read {
  return { text: contents.text || contents.markdown, kind }
}

interface Read {
  readonly text: string
  readonly kind: PageKind | undefined
}

interface Measured extends Score {
  readonly kind: PageKind
  readonly half: string
  readonly ms: number
  readonly isRight: boolean
}

/** Prints the F1 of the words of pages of every kind, as the evaluate.py of WCXB counts them. */
export function measureWcxb(folder: string, print: (line: string) => void): void {
  for (const [name, read] of Object.entries(readers)) {
    const measured: Measured[] = []
    for (const page of wcxbPages(folder)) {
      const before = process.cpuUsage()
      const { text, kind } = attempt(() => read(page.html, page.url))
      const { user, system } = process.cpuUsage(before)
      const ms = (user + system) / 1000
      measured.push({ kind: page.kind, half: page.half, ms, isRight: kind === page.kind, ...scoreOf(text, page.body) })
    }
    printOne(name, measured, print)
  }
}

function printOne(name: string, measured: readonly Measured[], print: (line: string) => void): void {
  print(
    `\n| WCXB dev, ${name} | pages | F1 | precision | recall | ${halves.map((half) => `F1, ${half}`).join(' | ')} |`,
  )
  print('|---|---:|---:|---:|---:|---:|---:|')
  for (const kind of ['all', ...pageKinds] as const) {
    const own = measured.filter((page) => kind === 'all' || page.kind === kind)
    const figures = [own, own, own].map((pages, index) =>
      mean(pages.map((page) => [page.f1, page.precision, page.recall][index] ?? 0)).toFixed(3),
    )
    const byHalf = halves.map((half) => mean(own.filter((page) => page.half === half).map(({ f1 }) => f1)).toFixed(3))
    print(`| ${kind} | ${own.length} | ${[...figures, ...byHalf].join(' | ')} |`)
  }
  const { median, p90 } = summarise(measured.map(({ ms }) => ms))
  const right = halves.map((half) => {
    const own = measured.filter((page) => page.half === half)
    return `${percent(mean(own.map(({ isRight }) => Number(isRight))))} % (${half})`
  })
  print(
    `\nKind right: ${right.join(', ')}. Processor: ${median.toFixed(1)} ms at the median, ${p90.toFixed(1)} ms p90.`,
  )
}

function attempt(read: () => Read): Read {
  try {
    return read()
  } catch {
    return { text: '', kind: undefined }
  }
}

interface Score {
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

/** By bags of words. A page without content is right when nothing is read from it. */
export function scoreOf(text: string, wanted: string): Score {
  const [had, expected] = [wordsIn(text), wordsIn(wanted)]
  if (had.length === 0 || expected.length === 0) {
    const value = Number(had.length === expected.length)
    return { precision: value, recall: value, f1: value }
  }
  const precision = takeShare(had, counted(expected))
  const recall = (precision * had.length) / expected.length
  return { precision, recall, f1: precision === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}
