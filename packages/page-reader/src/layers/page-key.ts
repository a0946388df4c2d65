import { parseUrl } from '@csp/lib/url'
import type { PageContext } from '../page-reader.ts'
import type { PageLayer, WholePageRequest } from '../whole-page.ts'

/** Who may get a page that another caller's request fetched: all callers, or only those with the same key. */
export type PageScope = 'all' | 'key'

/** Notes whose page it is, where each caller has pages of its own. Outside of what finds pages by `pageKey`. */
export function owned(scope: PageScope): PageLayer {
  if (scope === 'all') return (inner) => inner
  return (inner) => ({
    read: (request, context) => inner.read(request, { ...context, owner: context.caller ?? '' }),
    close: () => inner.close(),
  })
}

/**
 * Equal requests have equal keys, of the same owner where pages have one; a fragment and an invisible difference in
 * spelling do not matter.
 */
export function pageKey(
  { url, language = '', mainContentOnly = true, isRough = false }: WholePageRequest,
  { owner }: Pick<PageContext, 'owner'>,
): string {
  const parsed = parseUrl(url)
  if (parsed) parsed.hash = ''
  return JSON.stringify([
    parsed?.href ?? url,
    language,
    mainContentOnly,
    isRough,
    ...(owner === undefined ? [] : [owner]),
  ])
}
