import type { Database } from 'bun:sqlite'
import { pageKey } from '@csp/lib/url'
import { type QueryTerms, queryTerms } from '@csp/passages/query-terms'
import type { Recall } from '../../domain/recall.ts'
import { oldestDay } from '../../executor/answer/prompt/filter-hints.ts'
import { selectRows } from '../../executor/answer/select-rows.ts'
import { type PageRow, secondsOf, storedText } from './rows.ts'
import { phrasesOf, siteExpression } from './words.ts'

/** The pages that fit a query, the best first. */
export function recallRows(database: Database, recall: Recall, now: Date): readonly PageRow[] {
  const { query, filters, limit = usualLimit, offset = 0, similarTo } = recall
  const terms = queryTerms(query)
  const words = telling(database, phrasesOf(query))
  if (!terms || words.length === 0) return []
  const { includeDomains = [] } = filters
  const sites = includeDomains.length > 0 ? ` AND (${includeDomains.map(siteExpression).join(' OR ')})` : ''
  const match = `({title text} : (${words.join(' OR ')}))${sites}`
  const wanted = offset + limit
  const candidates = search(database, match, recall, now, Math.min(wanted * 2 + 20, maxCandidates))
  const fitting = candidates.filter((row) => hasEnough(row, terms, similarTo === undefined ? leastShare : similarShare))
  const byUrl = new Map(fitting.map((row) => [row.url, row]))
  const rows = fitting.map(({ url, title }) => ({ url, title, source: 'memory' }))
  const exclude = [...(recall.exclude ?? []), ...(similarTo === undefined ? [] : [similarTo])]
  const chosen = selectRows(rows, { ...recall, ...plainRequest, exclude, offset, limit }, now)
  return chosen.flatMap(({ url }) => byUrl.get(url) ?? [])
}

const plainRequest = { history: [], want: 'results', effort: 'fast' } as const
const usualLimit = 10
const maxCandidates = 200

/**
 * The phrases to look for, the rarest first, as long as the pages that have them are few enough to be ranked in time: a
 * word that is on most pages says little about one.
 */
function telling(database: Database, phrases: ReturnType<typeof phrasesOf>): readonly string[] {
  const counted = phrases.map(({ loose, weighted }) => ({ weighted, pages: pagesWith(database, loose) }))
  let left = maxRanked
  return counted
    .filter(({ pages }) => pages > 0)
    .toSorted((a, b) => a.pages - b.pages)
    .filter(({ pages }, place) => {
      left -= pages
      return place === 0 || left >= 0
    })
    .map(({ weighted }) => weighted)
}

/** Ranking takes a microsecond or two for each page that has a word. */
const maxRanked = 8000

function pagesWith(database: Database, phrase: string): number {
  const [, word] = /^"([a-z0-9]+)"\*?$/.exec(phrase) ?? []
  if (word === undefined) {
    const counting = database.query<{ pages: number }, [string, number]>(
      'SELECT count(*) AS pages FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)',
    )
    return counting.get(phrase, maxRanked + 1)?.pages ?? 0
  }
  const end = phrase.endsWith('*') ? `${word}\u{10ffff}` : `${word}\u0000`
  return (
    database
      .query<{ pages: number | null }, [string, string]>(
        'SELECT sum(doc) AS pages FROM temp.vocabulary WHERE term >= ? AND term < ?',
      )
      .get(word, end)?.pages ?? 0
  )
}

function search(
  database: Database,
  match: string,
  { filters, owner, seenAfter }: Recall,
  now: Date,
  limit: number,
): readonly PageRow[] {
  const { freshness, publishedAfter, publishedBefore, language } = filters
  const after = [publishedAfter, freshness && oldestDay(freshness, now)]
    .filter((day) => day !== undefined)
    .sort()
    .at(-1)
  const conditions: string[] = []
  const values: (string | number)[] = []
  const only = (condition: string, ...given: readonly (string | number)[]) => {
    conditions.push(` AND ${condition}`)
    values.push(...given)
  }
  // Where a common word stands alone, the pages that were seen last are ranked.
  const newest = 'SELECT min(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)'
  only(`words.rowid >= (${newest})`, match, maxRanked)
  if (owner !== undefined) only('p.owner = ?', owner)
  if (seenAfter !== undefined) only('p.seen >= ?', secondsOf(seenAfter))
  // A page without a date may be of any; one without a language is not left out for that.
  if (after !== undefined) only('p.published >= ?', after)
  if (publishedBefore !== undefined) only('p.published <= ?', publishedBefore)
  const [base] = language?.split('-') ?? []
  if (base) only("(p.language IS NULL OR p.language = ? OR p.language LIKE ? || '-%')", base, base)
  return database
    .query<PageRow, (string | number)[]>(
      `SELECT p.* FROM words CROSS JOIN pages p ON p.id = words.rowid
       WHERE words MATCH ?${conditions.join('')} ORDER BY words.rank LIMIT ?`,
    )
    .all(match, ...values, limit)
}

/** Whether a page has enough of the words to be about the query, rather than about one of them. */
function hasEnough(row: PageRow, terms: QueryTerms, share: number): boolean {
  // It was found by that word.
  if (terms.count === 1) return true
  const found = new Set<number>()
  const wanted = Math.ceil(terms.count * share)
  for (const text of [row.title, storedText(row)]) {
    for (const { term } of terms.find(text)) {
      found.add(term)
      if (found.size >= wanted) return true
    }
  }
  return false
}

const leastShare = 0.5
const similarShare = 0.25

/** The words that tell a page from others, as a query. `undefined` for a page that memory does not have. */
export function similarQuery(database: Database, { similarTo = '', owner }: Recall): string | undefined {
  const row = database
    .query<PageRow, [string, string | null]>(
      'SELECT * FROM pages WHERE key = ?1 AND (?2 IS NULL OR owner = ?2) LIMIT 1',
    )
    .get(pageKey(similarTo), owner ?? null)
  if (!row) return undefined
  const counts = new Map<string, number>()
  for (const { segment, isWordLike } of segmenter.segment(
    `${row.title}\n${row.title}\n${storedText(row).slice(0, maxLooked)}`,
  )) {
    const word = segment.toLowerCase()
    if (isWordLike && word.length > 1) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, maxFrequent)
  const weighed = frequent.flatMap(([word, count]) => {
    const [phrase] = phrasesOf(word)
    return phrase === undefined ? [] : [{ word, weight: count / (1 + pagesWith(database, phrase.loose)) }]
  })
  return weighed
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, maxTelling)
    .map(({ word }) => word)
    .join(' ')
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
const maxLooked = 10_000
const maxFrequent = 60
const maxTelling = 12
