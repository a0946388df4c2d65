// Answers and sources, made of text nodes and links to http and https alone.

import { element, isWebAddress, webLink } from './dom.js'

/** @typedef {{title: string, url: string, snippet?: string | null, date?: string | null}} Source */

/** @typedef {{verdict: string, sources: readonly number[], passage?: {text: string, source: number}, passages?: readonly {text: string, source: number}[], missing?: readonly {text: string}[], doubt?: {kind: string, said: string, page: string}, reason?: string, judge?: {model?: string, says?: string, words?: string, problem?: string}}} Evidence */

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
    const number = Number(piece.slice(1, -1))
    const said = about(evidenceFor(number), number)
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
 * What is said of a sentence at the marker of one of its sources. Only that source is quoted.
 * @param {Evidence | undefined} evidence
 * @param {number} number
 * @returns {{text: string, isDoubtful: boolean}}
 */
function about(evidence, number) {
  if (!evidence) return { text: '', isDoubtful: false }
  const { verdict, sources, passage, passages, missing = [], doubt, reason = '', judge } = evidence
  const pages = sources.length > 1 ? 'pages it cites' : 'page'
  const absent = missing.map(({ text }) => text).join(', ')
  const denial = denials[judge?.says ?? '']
  const isDoubtful = verdict === 'not-found' || absent !== '' || doubt !== undefined || denial !== undefined
  if (denial) return { text: judge?.words ? `${denial}: ${judge.words}` : denial, isDoubtful }
  if (doubt && !absent) return { text: doubtInWords(doubt), isDoubtful }
  if (isDoubtful) return { text: absent ? `Not on the ${pages}: ${absent}` : `Not found on the ${pages}`, isDoubtful }
  const own = (passages ?? (passage ? [passage] : [])).find(({ source }) => source === number)
  if (verdict === 'not-read') {
    const quoted = own ? `. The search quotes it: ${own.text}` : ''
    return { text: `Not compared: ${reasons[reason] ?? reason}${quoted}`, isDoubtful }
  }
  const found = verdict === 'partly' ? 'Partly found' : 'Found'
  if (passage && !own) return { text: `${found} on [${passage.source}]`, isDoubtful }
  const said = own ? `The page says: ${own.text}` : ''
  return { text: verdict === 'partly' ? `Partly found. ${said}` : said, isDoubtful }
}

/** @param {{kind: string, said: string, page: string}} doubt */
function doubtInWords({ kind, said, page }) {
  if (kind === 'order') return `In the other order on the page: ${page}`
  if (kind === 'opposite') return `The answer says “${said}”, the page “${page}”`
  return page ? `The page says “${page}” here` : `The page does not say “${said}” here`
}

/** @type {Readonly<Record<string, string>>} */
const denials = {
  contradicted: 'Contradicted, as the judge says',
  'not-said': 'Not all of it is said, as the judge says',
}

/** @type {Readonly<Record<string, string>>} */
const reasons = {
  unreadable: 'a page could not be read',
  'other-language': 'in another language',
  'too-long': 'too long',
  'no-words': 'nothing to compare',
}

/**
 * What came of the check of an answer, in words.
 * @param {readonly Evidence[]} evidence
 */
export function checkedInWords(evidence = []) {
  const marked = evidence.some((one) => about(one, 0).isDoubtful) ? ' Doubtful ones are marked ?.' : ''
  return evidence.length > 0
    ? `Sentences on the pages they cite: ${verdictsInWords(countsOf(evidence))}${judgedInWords(evidence)}.${marked}`
    : ''
}

/**
 * Who judged, or why nobody did.
 * @param {readonly Evidence[]} evidence
 */
function judgedInWords(evidence) {
  const judges = evidence.flatMap(({ judge }) => judge ?? [])
  const { model, says, problem } = judges.find((judge) => judge.says) ?? judges[0] ?? {}
  return says ? `; judged by ${model}` : problem ? `; not judged: ${problem}` : ''
}

/**
 * A mark for each verdict that sentences have.
 * @param {readonly Evidence[]} evidence
 */
export function verdictChips(evidence) {
  return Object.entries(countsOf(evidence)).flatMap(([verdict, count]) =>
    count > 0 ? [element('span', { class: `chip ${verdict}` }, `${count} ${verdict.replace('-', ' ')}`)] : [],
  )
}

/** @param {readonly Evidence[]} evidence */
function countsOf(evidence) {
  const counts = { found: 0, partly: 0, 'not-found': 0, 'not-read': 0 }
  for (const { verdict } of evidence) if (verdict in counts) counts[/** @type {keyof typeof counts} */ (verdict)]++
  return counts
}

/** @param {Readonly<Record<string, number>>} counts */
export function verdictsInWords(counts) {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict.replace('-', ' ')}`)
    .join(', ')
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
