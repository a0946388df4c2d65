import type { Page, PageRequest } from './page.ts'
import { excluded } from './page-error.ts'
import { abortedRead } from './page-failure.ts'
import type { PageReader } from './page-reader.ts'
import type { WholePage, WholePageReader } from './whole-page.ts'

/** Reads whole pages and cuts out what is asked for. */
export function cutting(inner: WholePageReader): PageReader {
  return {
    async read(request, context) {
      if (context.signal.aborted) throw abortedRead(context.signal)
      const { url, language, mainContentOnly = true, isRough = false } = request
      const page = await inner.read({ url, language, mainContentOnly, isRough }, context)
      // It may come from a cache.
      if (context.mayVisit?.(new URL(page.finalUrl)) === false) throw excluded()
      return cutPage(page, request)
    },
    close: () => inner.close(),
  }
}

/** The part of a page that a request asks for. */
function cutPage({ contents, ...page }: WholePage, { url, format = 'markdown', ...range }: PageRequest): Page {
  const whole = contents[format]
  const wanted =
    range.offset ?? (isFile(page) && whole.length > (range.maxCharacters ?? whole.length) ? lineIn(whole, url) : 0)
  const offset = charStart(whole, Math.min(whole.length, Math.max(0, Math.floor(wanted))))
  const end = endOfPart(whole, offset, Math.max(1, Math.floor(range.maxCharacters ?? whole.length)))
  return {
    ...page,
    url,
    format,
    content: whole.slice(offset, end),
    totalCharacters: whole.length,
    offset,
    remaining: whole.length - end,
  }
}

function isFile({ contentType }: Pick<WholePage, 'contentType'>): boolean {
  return contentType === 'text/plain'
}

/** Where the line of a file begins that its address names, as `#L20` or `#L20-L25`; the start without one. */
function lineIn(text: string, url: string): number {
  const line = Number(/#L(\d{1,7})(?=C\d|-|$)/.exec(url)?.[1] ?? 1)
  let at = 0
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return 0
    at = end + 1
  }
  return at
}

/** Where a part of at most so many characters ends: behind a paragraph, a line or a word, if one ends late enough in it. */
function endOfPart(text: string, start: number, maxLength: number): number {
  const limit = start + maxLength
  if (limit >= text.length) return text.length
  const earliest = start + Math.ceil(maxLength * keptShare)
  for (const separator of ['\n\n', '\n', ' ']) {
    const end = text.lastIndexOf(separator, limit - separator.length) + separator.length
    if (end > earliest) return end
  }
  // One character may be longer than the limit.
  const end = charStart(text, limit)
  return end > start ? end : limit + 1
}

/** A cut that leaves less of the part looks for a smaller unit. */
const keptShare = 0.7

/** Moves a place between the halves of a surrogate pair before it. */
function charStart(text: string, place: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(place - 1)) && /[\udc00-\udfff]/.test(text.charAt(place))
    ? place - 1
    : place
}
