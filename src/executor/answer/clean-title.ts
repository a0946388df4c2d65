import { decodeHTML } from 'entities'

/** A page's title as one line of plain text; its host where it has none. Titles come with entities and line breaks. */
export function cleanTitle(title: string, url: string): string {
  return decodeHTML(title).replace(/\s+/g, ' ').trim() || (URL.parse(url)?.hostname ?? '')
}
