import type { SearchResult } from '../../../domain/search.ts'
import { cleanSnippet } from '../../answer/clean-snippet.ts'
import { cleanTitle } from '../../answer/clean-title.ts'
import { fullDate } from '../../answer/dates.ts'
import type { Hit } from './turn.ts'

/** A row for a page that the API's search tool found. `words`: what was cited of it, if anything. */
export function toRow({ url, title, pageAge }: Hit, now: Date, words?: string): SearchResult {
  return {
    title: cleanTitle(title, url),
    url,
    snippet: words === undefined ? undefined : cleanSnippet(words),
    publishedAt: dateOf(pageAge ?? '', now),
    source: 'messages',
  }
}

/** From a date, or from an age in hours or days; a week is too vague to name a day. */
function dateOf(age: string, now: Date): string | undefined {
  const [, amount, unit] = /^(\d{1,3}) (hour|day)s? ago$/i.exec(age.trim()) ?? []
  if (!amount || !unit) return fullDate(age)
  const hours = Number(amount) * (unit.toLowerCase() === 'day' ? 24 : 1)
  return new Date(now.getTime() - hours * 3_600_000).toISOString().slice(0, 10)
}
