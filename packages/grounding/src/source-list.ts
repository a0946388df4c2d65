import type { Reading, TextInput } from './text-input.ts'

/**
 * Looks ahead from the start of a line: is everything from here to the very end a list of sources? Returns `'end'` if it
 * is, otherwise the index of the first line outside the list, where another may begin. Waits only while one is possible.
 */
export function* readSourceList(input: TextInput, from: number): Reading<number | 'end'> {
  let stage: 'before' | 'ruled' | 'inside' = 'before'
  for (let index = from; index - from <= maxListLength; ) {
    const line: string | undefined = yield* readLine(input, index, stage === 'inside' ? mayBeItem : mayOpen)
    if (line === undefined) return index
    if (stage === 'inside' ? !isItem(line) : !isOpening(line)) {
      const isGap = stage === 'ruled' ? line.trim() === '' : stage === 'before' && isRule(line)
      if (!isGap) return index
      stage = 'ruled'
    } else stage = 'inside'
    index += line.length
    if (input.char(index) === '') return stage === 'inside' ? 'end' : from
    index++
    if (index - from > maxListLength) return index
  }
  return from
}

const maxLineLength = 2000
const maxListLength = 20_000
/** After this many characters a line is either rejected or waited for to its end. */
const decisiveStart = 80

/** In lower case, without the colon. */
const headings = [
  'source|sources|sources used|sources cited|sources consulted|reference|references|citations|works cited|bibliography',
  'quelle|quellen|quellenangaben|références|fuentes|referencias|fontes|referências|fonti|bronnen|źródła|källor|kaynaklar',
  'источники|джерела|المصادر|المراجع|来源|参考|参考来源|参考资料|参考文献|出典|출처',
].flatMap((names) => names.split('|'))

function* readLine(input: TextInput, from: number, may: (start: string) => boolean): Reading<string | undefined> {
  for (let index = from; index <= from + maxLineLength; index++) {
    const char = input.char(index) || (yield* input.wait(index))
    if (char === '' || char === '\n') return input.slice(from, index)
    if (index < from + decisiveStart && !may(input.slice(from, index + 1))) return undefined
  }
  return undefined
}

function isRule(line: string): boolean {
  return /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t\r]*$/.test(line)
}

/** The heading of a list, or the first of a block of link definitions. */
function isOpening(line: string): boolean {
  if (isDefinition(line)) return true
  const words = headingWords(line)
  return headings.some((name) => words.startsWith(name) && endsHeading(words.slice(name.length)))
}

/** Links may follow a heading on the same line, after a colon. */
function endsHeading(rest: string): boolean {
  const [, colon, links = ''] = /^[\s*_]*([:：]?)[\s*_]*(.*)$/s.exec(rest) ?? []
  return links === '' || (colon !== '' && isLinksOnly(links))
}

function mayOpen(start: string): boolean {
  if (/^[ \t]*(?:[-*_][ \t]*)*$/.test(start)) return true
  if (/^[ \t]*\[(?:\^[^\]]{0,20}(?:\](?::.*)?)?|[^\]]{0,40}(?:\](?::[ \t]*(?:[<hw].*)?)?)?)$/i.test(start)) return true
  const words = headingWords(start)
  return headings.some(
    (name) => name.startsWith(words) || (words.startsWith(name) && mayFollow(words.slice(name.length))),
  )
}

function mayFollow(rest: string): boolean {
  return /^[\s*_]*(?:[:：][\s*_]*(?:[[<(hw].*)?)?$/s.test(rest)
}

function headingWords(line: string): string {
  return line.replace(/^[\s>#*_]*/, '').toLowerCase()
}

/** `[1]: https://…` or `[^1]: …`. */
function isDefinition(line: string): boolean {
  return /^[ \t]*\[(?:\^[^\]]{1,20}\]:|[^\]]{1,40}\]:[ \t]*<?(?:https?:|www\.))/i.test(line)
}

function isItem(line: string): boolean {
  if (line.trim() === '' || /^(?: {2,}|\t)\S/.test(line)) return true
  return listItem.test(line) || isDefinition(line) || isLinksOnly(line) || /^\s*[-=]{3,}\s*$/.test(line)
}

function mayBeItem(start: string): boolean {
  return !/^(?!h$|ht$|htt$|http|w$|ww$|www)\p{L}/iu.test(start)
}

const listItem = /^\s*(?:[-*+•–]|\d{1,3}[.)]|\[\^?\d{1,3}\][:.]?|【\d{1,3}】)\s+\S/
const link =
  /!?\[[^[\]]*\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|<[^<>\s]+>|(?:https?:\/\/|www\.)[^\s[\]]+|\[\^?\d+\]/gi

function isLinksOnly(line: string): boolean {
  return (
    /\S/.test(line) &&
    /^[\s,;|·•&*_().:-]*$/.test(line.replace(link, '').replace(/\band\b/gi, '')) &&
    line.match(link) !== null
  )
}
