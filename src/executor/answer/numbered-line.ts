import { parseUrl } from '@csp/lib/url'

/** A line that begins with the number of a result, counted from 1, and the name of its site or host. */
export interface NumberedLine {
  readonly number: number
  /** `example` or `docs.example.com`. */
  readonly name: string
  /** What follows. */
  readonly rest: string
}

/** Reads `3 docs.example.com | …`, `3 example|…` and what models make of them; a name without a dot needs a bar. */
export function numberedLine(line: string): NumberedLine | undefined {
  const [whole, number, name] = numberAndHost.exec(line) ?? numberAndSite.exec(line) ?? []
  if (whole === undefined || name === undefined) return undefined
  return { number: Number(number), name, rest: line.slice(whole.length) }
}

const start = /^[\s>#|*+•–_`-]*(?:(?:no|number|result)\b\.? ?)?[[(]?(\d{1,3})[\])]?[.):]?[\s|*_`]+/.source
const numberAndHost = new RegExp(
  `${start}${/(?:https?:\/\/)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)(?::\d+)?(?:\/[^\s|]*)?[*_`]*(?:\s*[|\t]|:?\s+[-–—]+\s|:\s|\s*$)/u.source}`,
  'iu',
)
const numberAndSite = new RegExp(`${start}${/([\p{L}\p{N}][\p{L}\p{N}-]{0,62})[*_`]*\s*[|\t]/u.source}`, 'iu')

/** Whether a name is that of the host of a URL: the host itself, or the name of its site. */
export function namesHostOf(url: string, name: string): boolean {
  const host = bareHost(parseUrl(url)?.hostname)
  const isHost = name.includes('.')
  // Reads letters of any script as hosts have them.
  const named = bareHost(parseUrl(`https://${isHost ? name : `${name}.example`}`)?.hostname)
  return host !== '' && (isHost ? named === host : named === `${siteName(host)}.example`)
}

const bareHost = (host = '') => host.replace(/^www\./, '')

/** `example` for docs.example.com, `bbc` for news.bbc.co.uk. */
function siteName(host: string): string {
  const names = host.split('.')
  const suffixes = names.length > 2 && generic.has(names.at(-2) ?? '') ? 2 : 1
  return names.at(-1 - suffixes) ?? host
}

/** Second names under which countries have their sites. */
const generic: ReadonlySet<string> = new Set([
  'ac',
  'co',
  'com',
  'edu',
  'gob',
  'gouv',
  'gov',
  'go',
  'ne',
  'net',
  'or',
  'org',
])
