import { parseUrl } from '@csp/lib/url'
import { countWords } from './blocks/blocks.ts'
import type { Document, Element, Node, Text } from './tree/nodes.ts'

/**
 * The address that a page leads its readers to at once, where it has nothing of its own: what generators of sites leave
 * where a page has moved from, and the pages of link shorteners. `undefined` for a page with words.
 */
export function leadIn(document: Document, base: string, url: string): string | undefined {
  for (const meta of document.querySelectorAll('meta')) {
    if (meta.getAttribute('http-equiv')?.trim().toLowerCase() !== 'refresh') continue
    const address = refreshIn(meta.getAttribute('content') ?? '')
    const to = address === undefined ? null : parseUrl(address, base)
    if (!to || !/^https?:$/.test(to.protocol) || withoutHash(to.href) === withoutHash(url)) continue
    // It is for browsers without scripts only, unless these lead to the same address.
    if (meta.closest('noscript') && !isInScripts(document, address ?? '')) continue
    return hasOwnWords(document.body, to, base) ? undefined : to.href
  }
  return undefined
}

/** Whether a page might lead elsewhere. */
export const mayLead = /http-equiv\s{0,9}=\s{0,9}["']?\s{0,9}refresh/i

/** `0; url=/new/`, with what browsers take for it. `undefined` where it stays, or only after a while. */
function refreshIn(content: string): string | undefined {
  const refresh = /^\s{0,20}(\d{0,6})(?:\.\d{0,6})?\s{0,20}[;,\s]\s{0,20}(?:url\s{0,20}=\s{0,20})?(["']?)(.*)$/is
  const [, seconds = '', quote = '', rest = ''] = refresh.exec(content.slice(0, maxContent)) ?? []
  if (Number(seconds) > maxSeconds) return undefined
  const address = quote ? rest.split(quote, 1)[0] : rest
  return address?.trim() || undefined
}

const maxContent = 8192
/** A page that stays for longer is read. */
const maxSeconds = 10

function withoutHash(address: string): string {
  return address.split('#', 1)[0] ?? ''
}

function isInScripts(document: Document, address: string): boolean {
  const scripts = [...document.querySelectorAll('script')].slice(0, maxScripts)
  return scripts.some(({ textContent }) => (textContent ?? '').replaceAll('\\/', '/').includes(address))
}

const maxScripts = 20

/** Whether a page says more than that it has moved, which it may do at some length beside a link to the address. */
function hasOwnWords(body: Element, to: URL, base: string): boolean {
  const words = countWords(shownIn(body))
  if (words < maxNotice) return false
  const links = [...body.querySelectorAll('a[href]')].slice(0, maxLinks)
  return words >= maxLinkedNotice || !links.some((a) => parseUrl(a.getAttribute('href') ?? '', base)?.href === to.href)
}

/** In words. */
const maxNotice = 25
const maxLinkedNotice = 80
const maxLinks = 200

/** The first words of a page, without those of its frame. */
function shownIn(body: Element): string {
  let text = ''
  const visit = (node: Node): void => {
    for (let child = node.firstChild; child && text.length < maxShown; child = child.nextSibling)
      if (child.nodeType === 3) text += (child as Text).data.slice(0, maxShown)
      else if (child.nodeType === 1 && !notShown.has((child as Element).localName)) {
        visit(child)
        text += ' '
      }
  }
  visit(body)
  return text
}

const maxShown = 4000
const notShown: ReadonlySet<string> = new Set(
  'script style noscript template title nav header footer aside svg'.split(' '),
)
