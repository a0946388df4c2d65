import type { WholePageRequest } from '../whole-page.ts'

/** Equal requests have equal keys; a fragment and an invisible difference in spelling do not matter. */
export function pageKey({ url, language = '', mainContentOnly = true, isRough = false }: WholePageRequest): string {
  const parsed = URL.parse(url)
  if (parsed) parsed.hash = ''
  return JSON.stringify([parsed?.href ?? url, language, mainContentOnly, isRough])
}
