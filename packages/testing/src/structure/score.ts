import type { Expected } from './case.ts'
import { canonical, codeKey, plain, type Structure, squeezed, texKey } from './structure.ts'

/** How many of how many. */
export type Share = readonly [hits: number, of: number]

/** What a reader kept of what it should have, by name. */
export function scoreOf(expected: Expected, found: Structure, author?: string): Readonly<Record<string, Share>> {
  const shares: Record<string, Share> = {}
  const count = <Item>(name: string, items: readonly Item[] | undefined, isKept: (item: Item) => boolean) => {
    if (items && items.length > 0) shares[name] = [items.filter(isKept).length, items.length]
  }
  const flat = squeezed(found.text)
  const code = new Map(found.fences.map((fence) => [fence.code, fence.lang.toLowerCase()]))
  const kept = expected.fences?.filter((fence) => code.has(codeKey(fence.code)))
  count('code verbatim', expected.fences, (fence) => code.has(codeKey(fence.code)))
  count(
    'code language',
    kept?.filter(({ lang }) => lang),
    (fence) => code.get(codeKey(fence.code)) === fence.lang.toLowerCase(),
  )
  const cells = (expected.tables ?? []).map((table) => cellsIn(table, found.tables))
  if (cells.length > 0) {
    shares['table cells'] = [sum(cells.map(([hits]) => hits)), sum(cells.map(([, of]) => of))]
    count('tables whole', cells, ([hits, of]) => hits >= of)
  }
  count('list marks and depth', expected.listTree, ([mark, depth, text]) =>
    found.items.some((item) => item.mark === mark && item.depth === depth && item.text === squeezed(text)),
  )
  count('headings', expected.headings, (heading) => found.headings.includes(squeezed(heading)))
  count('quotes', expected.quotes, (quote) => found.quotes.some((each) => each.includes(squeezed(quote))))
  count('sup and sub', expected.marks, ({ right, wrong }) => right.some(has) && !wrong.some(has))
  count('math as TeX', expected.math, (forms) => forms.some((form) => found.math.includes(texKey(form))))
  count('note texts', expected.notes, ({ text }) => flat.includes(squeezed(text).slice(0, 50)))
  count(
    'note marks',
    expected.notes?.filter(({ before }) => before),
    ({ before, mark }) => ['[', '^', ' [', ' ^'].some((sign) => has(`${canonical(before)}${sign}${mark}`)),
  )
  count('shown text kept', expected.has, (text) => flat.includes(squeezed(text)))
  count('nothing false', expected.hasNot, (text) => !has(text))
  if (expected.author) shares.author = [Number(isSameAuthor(expected.author, author)), 1]
  else if (expected.author === null) shares['author, none'] = [Number(!author), 1]
  return shares

  function has(text: string): boolean {
    return found.text.includes(text)
  }
}

function isSameAuthor(wanted: string, got = ''): boolean {
  const names = (text: string) =>
    text
      .replace(/^\s*(?:by|von|par|por)\s+/i, '')
      .split(/\s*(?:,|;|&| and | und )\s*/i)
      .map(squeezed)
      .filter((name) => name.length > 2)
  return names(got).some((name) => names(wanted).includes(name)) || squeezed(got).includes(squeezed(wanted))
}

/** Cells in their row and column; rows may be counted from a title, or behind one. */
function cellsIn(table: readonly (readonly string[])[], found: readonly string[][][]): Share {
  const wanted = table.flatMap((row, y) => row.flatMap((cell, x) => (cell && cell !== '*' ? [{ x, y, cell }] : [])))
  let best = 0
  for (const other of found)
    for (const shift of [-1, 0, 1, 2])
      best = Math.max(best, wanted.filter(({ x, y, cell }) => isSameCell(cell, other[y + shift]?.[x])).length)
  return [best, wanted.length]
}

function isSameCell(wanted: string, got: string | undefined): boolean {
  if (got === undefined) return false
  if (wanted.startsWith('{has}')) {
    const words = new Set(got.match(/[\p{L}\p{N}]+/gu))
    return wanted
      .slice(5)
      .split(' ')
      .every((word) => words.has(word.toLowerCase()))
  }
  const want = plain(wanted.replace('{pipe}', '|').replaceAll('~', '`'))
  return want === got || (squeezed(want) !== '' && squeezed(want) === squeezed(got))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
