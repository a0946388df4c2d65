import { z } from 'zod'
import type { Executor } from '../../executor.ts'
import { scoreSchema } from '../../wire/schemas.ts'
import { type ListOptions, listApi, listRows, looseText } from '../http/list-api.ts'
import { explainSearxng } from './error.ts'
import { searxngCall } from './query.ts'

export interface SearxngOptions extends ListOptions {
  /** The address of the instance, with its path if it has one. */
  readonly url: string
}

/** Result lists of a SearXNG instance, over its JSON API. The usual instance has 30 rows in a batch. */
export function searxng(options: SearxngOptions): Executor {
  const batches = { rowsPerBatch: 30, maxBatches: 3 }
  return listApi(
    { name: 'searxng', vendor: 'SearXNG', ...batches, call: searxngCall, reply, explain: explainSearxng },
    options,
  )
}

const row = z
  .object({
    url: z.string(),
    title: z.string().nullish(),
    content: z.string().nullish(),
    // Newer ones give an ISO date; older ones words for people, and the date as `pubdate`.
    publishedDate: looseText,
    pubdate: looseText,
    score: scoreSchema,
  })
  .transform(({ url, title, content, publishedDate, pubdate, score }) => ({
    url,
    title,
    text: content,
    dates: [pubdate, publishedDate],
    score,
  }))

/** An answer or an infobox among the results has no URL, and is skipped. */
const reply = z
  .object({
    results: listRows(row),
    unresponsive_engines: z.array(z.array(z.string().catch(''))).catch([]),
  })
  .transform(({ results: rows, unresponsive_engines: engines }) => ({
    rows,
    problem: rows.length === 0 && engines.length > 0 ? silent(engines) : undefined,
  }))

/** Names the engines that failed, so that the reply is not mistaken for an empty result. */
function silent(engines: readonly (readonly string[])[]): string {
  const told = engines.slice(0, 5).map(([name = '', reason]) => (reason ? `${name} (${reason})` : name))
  return `SearXNG found nothing, and some of its engines failed: ${told.join(', ')}.`
}
