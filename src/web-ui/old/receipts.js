// The receipts of written answers, asked for while their list is open.

import { call, failureOf } from './api.js'
import { byId, element, moment } from './dom.js'
import { checkedInWords, citedIn, paragraphs, sourceList, verdictsInWords } from './rendering.js'

/** @type {string | null} */
let next = null

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing

/** How many pages of the list are asked for, at most, until some have the words that are looked for. */
const maxPages = 10

/** Returns what asks for the list again, where it is open. */
export function setUpReceipts() {
  const list = byId('receipts', HTMLDetailsElement)
  const more = byId('more-receipts', HTMLButtonElement)
  const filter = byId('receipt-filter', HTMLInputElement)
  const renew = () => {
    if (list.open) void showReceipts('')
  }
  list.addEventListener('toggle', renew)
  more.addEventListener('click', () => void showReceipts(`?after=${next}`))
  filter.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(() => void look(), 200)
  })
  return renew
}

/**
 * @param {string} query empty: from the beginning
 * @param {boolean} isFocused the first of those that come
 */
async function showReceipts(query, isFocused = true) {
  const [rows, note] = [byId('receipt-rows', HTMLElement), byId('receipts-note', HTMLElement)]
  const more = byId('more-receipts', HTMLButtonElement)
  if (!rows.hasChildNodes()) note.textContent = 'Asking…'
  try {
    const reply = await call(`v1/receipts${query}`)
    if (!reply.ok) throw await failureOf(reply)
    const found = await reply.json()
    const open = new Set([...rows.querySelectorAll('details[open]')].map(({ id }) => id))
    const made = found.data.map(receipt)
    if (query) rows.append(...made)
    else rows.replaceChildren(...made)
    // What was being read stays open.
    for (const one of made) one.open = open.has(one.id)
    next = found.next
    more.hidden = !found.has_more
    byId('receipt-filter', HTMLInputElement).hidden = !rows.hasChildNodes()
    showMatching()
    if (query && isFocused) made[0]?.querySelector('summary')?.focus()
    note.textContent = rows.hasChildNodes() ? '' : await whyNone()
  } catch (error) {
    if (!query) rows.replaceChildren()
    byId('receipt-filter', HTMLInputElement).hidden = !rows.hasChildNodes()
    more.hidden = true
    note.textContent = error instanceof Error ? error.message : String(error)
  }
}

/** Shows the questions that have the words of the filter, and asks for older ones while there are few of them. */
async function look() {
  const wanted = byId('receipt-filter', HTMLInputElement).value
  for (let page = 0; page < maxPages && showMatching() < 5 && next; page++) {
    await showReceipts(`?limit=100&after=${next}`, false)
    if (byId('receipt-filter', HTMLInputElement).value !== wanted) return
  }
  byId('receipts-note', HTMLElement).textContent =
    showMatching() > 0 ? '' : next ? 'Not among the last thousand questions.' : 'No question has these words.'
}

/** Returns how many there are. */
function showMatching() {
  const words = byId('receipt-filter', HTMLInputElement).value.toLowerCase().split(/\s+/)
  let count = 0
  for (const row of byId('receipt-rows', HTMLElement).children) {
    const asked = row.querySelector('.asked')?.textContent?.toLowerCase() ?? ''
    row.toggleAttribute('hidden', !words.every((word) => asked.includes(word)))
    if (!row.hasAttribute('hidden')) count++
  }
  return count
}

async function whyNone() {
  const { receipts } = await (await call('health')).json()
  return receipts
    ? 'None yet. A written answer leaves a receipt: its sentences, what of them was found on the pages that they cite, and the text of those pages.'
    : 'Receipts are off. To keep what answers rest on, start csp without --receipts off and --evidence off.'
}

/**
 * @param {any} row
 * @returns {HTMLDetailsElement}
 */
function receipt({ id, time, question, strategy, verdicts }) {
  const checked = verdictsInWords(verdicts) || 'nothing to check'
  const facts = element('span', { class: 'quiet' }, moment(time), ` · ${strategy} · ${checked}`)
  const inside = element('div', { class: 'inside' }, element('p', { class: 'quiet' }, 'Asking…'))
  const summary = element('summary', {}, element('span', { class: 'asked' }, question), facts)
  const made = element('details', { id: `receipt-${id}` }, summary, inside)
  if (!(made instanceof HTMLDetailsElement)) throw new Error('A browser without details.')
  made.addEventListener('toggle', () => {
    if (made.open && !inside.querySelector('button')) void fill(inside, id)
  })
  return made
}

/**
 * @param {HTMLElement} place
 * @param {string} id
 */
async function fill(place, id) {
  try {
    const reply = await call(`v1/receipts/${id}`)
    if (!reply.ok) throw await failureOf(reply)
    const { answer, sentences, sources } = await reply.json()
    const byNumber = sources.map((/** @type {any} */ source) => ({ ...source, snippet: source.passages[0] }))
    const save = element('button', { type: 'button', class: 'plain' }, 'Save as one file')
    save.addEventListener('click', () => void saveReceipt(save, id))
    place.replaceChildren(
      ...paragraphs(answer, byNumber, sentences),
      element('p', { class: 'quiet' }, checkedInWords(sentences)),
      element('ol', { class: 'sources' }, ...sourceList(byNumber, citedIn(answer))),
      save,
    )
  } catch (error) {
    place.replaceChildren(element('p', { class: 'problem' }, error instanceof Error ? error.message : String(error)))
  }
}

/**
 * A link could not send the key.
 * @param {HTMLElement} button
 * @param {string} id
 */
export async function saveReceipt(button, id) {
  const reply = await call(`v1/receipts/${id}?format=html`)
  if (!reply.ok) {
    button.textContent = (await failureOf(reply)).message
    return
  }
  const address = URL.createObjectURL(await reply.blob())
  element('a', { href: address, download: `receipt-${id.slice(0, 8)}.html` }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
