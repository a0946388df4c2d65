import { normaliseUrl } from '@csp/lib/url'
import type { SearchFilters, SearchResult } from '../../src/domain/search.ts'
import type { Question } from './question.ts'

/**
 * Reads a set as its authors publish it, CSV or TSV with a line of names first: SimpleQA (`metadata`, `problem`, `answer`),
 * FRAMES (`Prompt`, `Answer`, `wiki_links`, …), SealQA (`question`, `answer`, `urls`, …), DeepSearchQA (`problem`,
 * `problem_category`, `answer`, …). A row's id is its number.
 */
export function readPublished(text: string): readonly Question[] {
  const [names = [], ...rows] = cellsOf(text.replace(/^\ufeff/, ''))
  const columns = names.map((name) => name.trim().toLowerCase())
  if (!columns.includes('answer') || !columns.some((name) => questionColumns.includes(name)))
    throw new Error('Line 1 must name the columns answer and question (or problem, or prompt).')
  const questions = rows.flatMap((cells, index) => {
    const cell = (...wanted: readonly string[]) =>
      wanted.map((name) => cells[columns.indexOf(name)]?.trim()).find(Boolean) ?? ''
    const [question, answer] = [cell(...questionColumns), cell('answer')]
    if (!question || !answer) return []
    const kind = cell('topic', 'problem_category', 'reasoning_types') || topicIn(cell('metadata'))
    const urls = columns.flatMap((name, column) => (addressColumn.test(name) ? addressesIn(cells[column] ?? '') : []))
    const id = String(index + 1)
    return [
      { id, question, answers: [answer], kind: kind || 'own', asOf: '', urls: [...new Set(urls)], isPublished: true },
    ]
  })
  if (questions.length === 0) throw new Error('It has no questions.')
  return questions
}

const questionColumns: readonly string[] = ['question', 'problem', 'prompt']
const addressColumn = /^(?:urls|metadata|wiki_links|wikipedia_link_\S+)$/

/** The cells of each line. A quoted cell may have line breaks and doubled quotes (RFC 4180). */
function cellsOf(text: string): readonly (readonly string[])[] {
  const delimiter = /^[^\n]*\t/.test(text) ? '\t' : ','
  const rows: string[][] = []
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false]
  for (let index = 0; index <= text.length; index++) {
    const sign = text[index]
    if (isQuoted && sign !== undefined) {
      if (sign !== '"') cell += sign
      else if (text[index + 1] === '"') cell += text[++index]
      else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === delimiter || sign === '\n' || sign === undefined) {
      row.push(cell)
      cell = ''
      if (sign === delimiter) continue
      if (row.some((each) => each.trim())) rows.push(row)
      row = []
    } else cell += sign
  }
  return rows
}

/** The topic in `{'topic': 'Art', …}`, as Python writes it. */
function topicIn(metadata: string): string {
  return /'topic': '([^']{1,100})'/.exec(metadata)?.[1] ?? ''
}

/** Addresses in a list as Python writes it, or with commas or spaces between them. */
function addressesIn(cell: string): readonly string[] {
  const quoted = [...cell.matchAll(/'(https?:\/\/[^'\s]+)'|"(https?:\/\/[^"\s]+)"/g)]
  if (quoted.length > 0) return quoted.map(([, single, double]) => single ?? double ?? '')
  return cell.split(/,?\s+|,(?=https?:)/).filter((part) => /^https?:\/\//.test(part))
}

/** The place, from 1, of the first result that is one of the pages that hold the answer; 0 where none is. */
export function goldenRank(rows: readonly Pick<SearchResult, 'url'>[], urls: readonly string[]): number {
  const golden = new Set(urls.map(pageOf))
  return rows.findIndex(({ url }) => golden.has(pageOf(url))) + 1
}

/** A page for telephones is the same page. */
function pageOf(url: string): string {
  return (normaliseUrl(url) ?? url).replace(/^(\w+)\.m\.wikipedia\.org\//, '$1.wikipedia.org/')
}

/** Where published sets lie, with their answers. */
export const setFilters: SearchFilters = {
  excludeDomains: ['huggingface.co', 'kaggle.com', 'openaipublic.blob.core.windows.net'],
}

/** Whether a page seems to be about a published set, and may have its answers. */
export function givesAway({ url, title }: Pick<SearchResult, 'url' | 'title'>): boolean {
  const isExcluded = setFilters.excludeDomains?.some((host) => normaliseUrl(url)?.startsWith(`${host}/`))
  return (
    isExcluded || /simple-?_?qa|simple-evals|frames-benchmark|seal-?qa|deepsearch-?qa|\bdsqa\b/i.test(`${url} ${title}`)
  )
}
