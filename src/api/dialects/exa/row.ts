import type { SearchResult } from '../../../domain/search.ts'

/** A page as all of Exa's replies have it. Its author is not known here. */
export function exaRow({ title, url, publishedAt }: SearchResult) {
  return { id: url, title, url, publishedDate: publishedAt && `${publishedAt}T00:00:00.000Z`, author: null }
}

/** A subscription is not billed by the request. */
export const exaCost = { total: 0 }
