// Answers and sources, made of text nodes and links to http and https alone.

import { element, isWebAddress, webLink } from './dom.js'

/** @typedef {{title: string, url: string, snippet?: string | null, date?: string | null}} Source */

/**
 * Paragraphs, in which `[n]` links to the n-th source.
 * @param {string} text
 * @param {readonly Source[]} sources
 * @returns {readonly HTMLElement[]}
 */
export function paragraphs(text, sources) {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim())
    .map((part) => element('p', {}, ...inline(part.trim(), sources)))
}

/**
 * @param {string} text
 * @param {readonly Source[]} sources
 * @returns {readonly (Node | string)[]}
 */
function inline(text, sources) {
  return text.split(/(\[\d{1,3}\])/).map((piece) => {
    const source = /^\[\d+\]$/.test(piece) ? sources[Number(piece.slice(1, -1)) - 1] : undefined
    if (!source || !isWebAddress(source.url)) return piece
    const label = `Source ${piece}: ${source.title}`
    return webLink(source.url, piece, { class: 'cite', title: source.title, 'aria-label': label })
  })
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
function hostOf(url) {
  return isWebAddress(url) ? new URL(url).host.replace(/^www\./, '') : url
}
