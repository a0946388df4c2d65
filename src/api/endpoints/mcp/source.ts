import type { SearchResult } from '../../../domain/search.ts'

/** The JSON Schema of a page in a tool's reply. */
export const sourceSchema = {
  type: 'object',
  properties: {
    number: { type: 'integer', description: 'Its place in the list, counted from 1' },
    title: { type: 'string' },
    url: { type: 'string' },
    snippet: { type: 'string', description: 'An excerpt of the page; left out when none is known' },
    published_date: { type: 'string', description: 'YYYY-MM-DD; left out when it is not known' },
  },
  required: ['number', 'title', 'url'],
} as const

/** A page as `sourceSchema` has it. */
export function toSource({ title, url, snippet, publishedAt }: SearchResult, number: number) {
  return {
    number,
    title,
    url,
    ...(snippet && { snippet }),
    ...(publishedAt && { published_date: publishedAt }),
  }
}

/** A page for a model to read: what it is on one line, where it is on the next, then its excerpt. */
export function sourceText({ title, url, snippet, publishedAt }: SearchResult, number: number): string {
  const head = `[${number}] ${oneLine(title)}${publishedAt ? ` (${publishedAt})` : ''}`
  return [head, url, ...(snippet ? [oneLine(snippet)] : [])].join('\n')
}

/** A page's own line breaks could pass for the next entry of the list. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
