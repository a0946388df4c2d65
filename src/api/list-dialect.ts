import type { z } from 'zod'
import { sourcesOf } from '../domain/answer.ts'
import {
  type Answer,
  type AnswerRequest,
  type ListRequest,
  resultsRequest,
  type SearchResult,
} from '../domain/search.ts'
import type { Dialect, DialectReference, Reply } from './dialect.ts'

/** The dialect of a vendor whose reply is a list of pages: what its fields mean, and how it writes a row. */
export interface ListDialect<Input>
  extends Pick<Dialect<Input>, 'schema' | 'headers' | 'ignored' | 'pages' | 'passagesFields'> {
  /** Its summary is `Web search` by default. */
  readonly reference: Pick<DialectReference, 'example'> & Partial<DialectReference>
  /** How many rows are shown where the caller names no number. The search itself has no limit then: one is enough. */
  readonly pageSize: number
  /** How many rows the caller wants, and which: `page` counts from 1, `offset` in rows. */
  page?(input: Input): PageOfList
  /**
   * What to search for; of several requests each is a search of its own, and an empty list makes none. Throws a `Refusal`
   * for what a schema cannot check.
   */
  request(input: Input, headers: Headers): SearchWish | readonly SearchWish[]
  /** The reply. `rows` are no more than the caller wants; of several requests, all of the first come first. */
  reply(rows: readonly SearchResult[], reply: RowsReply<Input>): unknown
}

export interface PageOfList {
  readonly rows?: number | undefined
  readonly page?: number | undefined
  readonly offset?: number | undefined
}

/** What is searched for: a list, unless it says that it wants an answer. */
export type SearchWish = ListWish | AnswerWish
export type ListWish = Pick<ListRequest, 'query'> & Partial<ListRequest>
type AnswerWish = Pick<AnswerRequest, 'query' | 'want'> & Partial<AnswerRequest>

export interface RowsReply<Input> extends Reply<Input> {
  readonly answer: Answer
  /** How many rows are shown at most. */
  readonly count: number
  /** How many rows were skipped. */
  readonly offset: number
  /**
   * Rows up to the end of this list, plus one unless it is the last, so that clients keep paging.
   */
  readonly estimatedTotal: number
}

/** A whole dialect from the parts that differ between vendors of lists. Its types follow from its schema. */
export function listDialect<Schema extends z.ZodType>(
  list: ListDialect<z.output<Schema>> & { readonly schema: Schema },
): Dialect<z.output<Schema>, readonly (ListRequest | AnswerRequest)[]> {
  const { reference, pageSize, page, request, reply, ...shared } = list
  const pageOf = (input: z.output<Schema>) => {
    const { rows, page: number = 1, offset } = page?.(input) ?? {}
    const count = rows ?? pageSize
    return { limit: rows || undefined, count, offset: offset ?? (number - 1) * count }
  }
  return {
    ...shared,
    kind: 'search',
    reference: { summary: 'Web search', ...reference },
    parse(input, _models, headers = new Headers()) {
      const asked = request(input, headers)
      const { limit, offset } = pageOf(input)
      const rows = { limit, offset: offset || undefined }
      return [asked].flat().map((each) => requestOf({ ...rows, ...each }))
    },
    format(answer, context) {
      const { count, offset } = pageOf(context.input)
      const rows = sourcesOf(answer.searches).slice(0, count)
      const estimatedTotal = rows.length === 0 ? 0 : offset + rows.length + (rows.length >= count / 2 ? 1 : 0)
      return reply(rows, { ...context, answer, count, offset, estimatedTotal })
    },
  }
}

function requestOf(wish: SearchWish): ListRequest | AnswerRequest {
  return wish.want === 'answer' ? { history: [], effort: 'fast', filters: {}, ...wish } : resultsRequest(wish)
}
