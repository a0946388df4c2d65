// Answers and sources, made of text nodes and links to http and https alone.

import { element, isWebAddress, webLink } from './dom.js'

/** @typedef {{title: string, url: string, snippet?: string | null, date?: string | null}} Source */

/** @typedef {{verdict: string, sources: readonly number[], passage?: {text: string}, missing?: readonly {text: string}[]}} Evidence */

/**
 * Paragraphs, in which `[n]` links to the n-th source, and says what of its sentence was found there.
 * @param {string} text
 * @param {readonly Source[]} sources
 * @param {readonly Evidence[]} evidence
 * @returns {readonly HTMLElement[]}
 */
export function paragraphs(text, sources, evidence = []) {
  const evidenceFor = inOrder(evidence)
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim())
    .map((part) => element('p', {}, ...inline(part.trim(), sources, evidenceFor)))
}

/**
 * @param {string} text
 * @param {readonly Source[]} sources
 * @param {(number: number) => Evidence | undefined} evidenceFor
 * @returns {readonly (Node | string)[]}
 */
function inline(text, sources, evidenceFor) {
  return text.split(/(\[\d{1,3}\])/).map((piece) => {
    const source = /^\[\d+\]$/.test(piece) ? sources[Number(piece.slice(1, -1)) - 1] : undefined
    if (!source || !isWebAddress(source.url)) return piece
    const said = about(evidenceFor(Number(piece.slice(1, -1))))
    const label = `Source ${piece}: ${source.title}${said.text ? `. ${said.text}` : ''}`
    const marker = webLink(source.url, '', {
      class: said.isDoubtful ? 'cite doubtful' : 'cite',
      'aria-label': label,
      'data-title': source.title,
      'data-host': hostOf(source.url),
      'data-said': said.text,
    })
    // Shown without its brackets, copied with them.
    const bracket = (/** @type {string} */ sign) => element('span', {}, sign)
    marker.append(bracket('['), piece.slice(1, -1), bracket(']'), said.isDoubtful ? '?' : '')
    return marker
  })
}

/**
 * The evidence of each marker, asked for in the order of the text: a sentence has each of its sources once.
 * @param {readonly Evidence[]} evidence
 * @returns {(number: number) => Evidence | undefined}
 */
function inOrder(evidence) {
  let place = 0
  let seen = new Set()
  return (number) => {
    while (evidence[place] && (seen.has(number) || !evidence[place]?.sources.includes(number))) {
      place++
      seen = new Set()
    }
    seen.add(number)
    return evidence[place]
  }
}

/**
 * @param {Evidence | undefined} evidence
 * @returns {{text: string, isDoubtful: boolean}}
 */
function about(evidence) {
  if (!evidence) return { text: '', isDoubtful: false }
  const { verdict, passage, missing = [] } = evidence
  const absent = missing.map(({ text }) => text).join(', ')
  const isDoubtful = verdict === 'not-found' || absent !== ''
  if (isDoubtful) return { text: absent ? `Not on the page: ${absent}` : 'Not found on the page', isDoubtful }
  return { text: passage ? `The page says: ${passage.text}` : '', isDoubtful }
}

/**
 * What came of the check of an answer, in words.
 * @param {readonly Evidence[]} evidence
 */
export function checkedInWords(evidence = []) {
  const compared = evidence.filter(({ verdict }) => verdict !== 'not-read')
  if (compared.length === 0) return ''
  const doubtful = compared.filter((one) => about(one).isDoubtful).length
  const all = compared.length === 1 ? '1 sentence' : `${compared.length} sentences`
  return `${all} checked against the pages they cite, ${doubtful || 'none'} in doubt${doubtful ? ' (marked ?)' : ''}.`
}

/**
 * The numbers of the sources that a text names.
 * @param {string} text
 */
export function citedIn(text) {
  return new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)))
}

/**
 * @param {readonly Source[]} sources
 * @param {ReadonlySet<number>} cited
 * @returns {readonly HTMLElement[]}
 */
export function sourceList(sources, cited) {
  return sources.map((source, index) => {
    const isCited = cited.has(index + 1)
    const facts = [hostOf(source.url), source.date, isCited ? 'cited' : undefined].filter(Boolean).join(' · ')
    return element(
      'li',
      isCited ? { class: 'cited' } : {},
      webLink(source.url, source.title || source.url),
      element('p', { class: 'quiet' }, facts),
      ...(source.snippet ? [element('p', { class: 'snippet-text' }, source.snippet)] : []),
    )
  })
}

/** @param {string} url */
export function hostOf(url) {
  return isWebAddress(url) ? new URL(url).host.replace(/^www\./, '') : url
}
