import { escapeUTF8 } from 'entities'
import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { integerField, listField, nameField, optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { formatWebPage } from '../shared/row.ts'
import { bingFields, bingHeaders, bingRows, defaultCount, readBing } from './fields.ts'
import { formatArticle } from './news.ts'

const answerNames = [
  ...(['Computation', 'Entities', 'Images', 'News', 'Places', 'RelatedSearches', 'SpellSuggestions'] as const),
  ...(['TimeZone', 'Translations', 'Videos', 'Webpages'] as const),
] as const

const schema = z.object({
  ...bingFields,
  count: optional(integerField(1, 50)),
  responseFilter: optional(listField(nameField([...answerNames, ...answerNames.map(without)]), 20)),
  answerCount: withoutEffect(optional(integerField(1, 100))),
  promote: withoutEffect(optional(listField(nameField(answerNames), 20))),
})

type AnswerName = (typeof answerNames)[number]

function without<Name extends AnswerName>(name: Name): `-${Name}` {
  return `-${name}`
}

type BingSearchInput = z.output<typeof schema>

/** Bing's web search, version 7. Of its answers only web pages and news can be found here. */
export const bingSearch = listDialect({
  schema,
  reference: {
    example: { q: 'heat pumps in the cold', count: 5, mkt: 'en-US', freshness: 'Month' },
    headers: bingHeaders,
  },
  pageSize: defaultCount,
  page: bingRows,
  request(input, headers) {
    const group = groupOf(input)
    return group ? readBing(input, headers, group === 'news' ? 'news' : undefined) : []
  },
  reply(rows, { input, estimatedTotal }) {
    const group = groupOf(input)
    return {
      _type: 'SearchResponse',
      queryContext: { originalQuery: input.q },
      // A group without rows is left out, as the vendor does.
      ...(group && rows.length > 0 && formatGroup(group, rows, input, estimatedTotal)),
    }
  },
})

/** The one group of the reply: names behind a minus are left out, the others are the only ones. */
function groupOf({ responseFilter = [] }: BingSearchInput): 'webPages' | 'news' | undefined {
  const wanted = responseFilter.filter((name) => !name.startsWith('-'))
  const has = (name: AnswerName) =>
    !responseFilter.includes(without(name)) && (wanted.length === 0 || wanted.includes(name))
  if (has('Webpages')) return 'webPages'
  return has('News') ? 'news' : undefined
}

function formatGroup(
  group: 'webPages' | 'news',
  rows: readonly SearchResult[],
  { textFormat }: BingSearchInput,
  totalEstimatedMatches: number,
): object {
  const write = textFormat === 'HTML' ? escapeUTF8 : (text: string) => text
  const formatRow = group === 'news' ? formatArticle : formatWebPage
  const answerType = group === 'news' ? 'News' : 'WebPages'
  const items = rows.map((_, resultIndex) => ({
    answerType,
    resultIndex,
    value: { id: `#${answerType}.${resultIndex}` },
  }))
  return {
    [group]: { totalEstimatedMatches, value: rows.map((row, at) => formatRow(row, at, write)) },
    rankingResponse: { mainline: { items } },
  }
}
