// The pages that csp has seen: how many, a search among them, and a button that forgets them.

import { CallError, call, failureOf } from './api.js'
import { byId, element } from './dom.js'
import { hostOf, sourceList } from './rendering.js'

let mayForget = false

/** Returns what asks how much there is, where it is shown. */
export function setUpMemory() {
  byId('recall', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    void recall()
  })
  byId('forget-all', HTMLButtonElement).addEventListener('click', () => {
    if (confirm('Forget every page that csp has seen?')) void forget('all=true')
  })
  return () => {
    if (byId('memory', HTMLElement).checkVisibility()) void showSize()
  }
}

async function showSize() {
  const size = byId('memory-size', HTMLElement)
  if (!size.textContent) size.textContent = 'Asking…'
  const form = byId('recall', HTMLFormElement)
  try {
    const reply = await call('v1/memory')
    if (!reply.ok) throw await failureOf(reply)
    const { pages, sites, bytes, oldest, newest, may_forget: may } = await reply.json()
    mayForget = may
    form.hidden = pages === 0
    byId('forget-all', HTMLButtonElement).hidden = !may || pages === 0
    size.textContent =
      pages > 0
        ? `${counted(pages, 'page')} of ${counted(sites, 'site')}, ${megabytes(bytes)}, seen ${days(oldest, newest)}. They answer when no search is possible.`
        : 'Nothing yet. csp keeps the pages that searches find, and answers from them when no search is possible.'
  } catch (error) {
    form.hidden = true
    byId('forget-all', HTMLButtonElement).hidden = true
    byId('recalled', HTMLElement).replaceChildren()
    const isOff = error instanceof CallError && error.status === 404
    size.textContent = isOff
      ? 'Memory is off. To keep the pages that searches find, and to answer from them when no search is possible, start csp without --memory off.'
      : messageOf(error)
  }
}

async function recall() {
  const [note, list] = [byId('memory-note', HTMLElement), byId('recalled', HTMLElement)]
  const query = byId('recall-query', HTMLInputElement).value.trim()
  if (!query) return
  note.textContent = 'Looking…'
  try {
    const path = `v1/search?${new URLSearchParams({ q: query, count: '10' })}`
    const reply = await call(path, { headers: { 'x-csp-backend': 'memory' } })
    if (!reply.ok) throw await failureOf(reply)
    const { results } = await reply.json()
    note.textContent = results.length > 0 ? '' : 'No page that csp has seen fits. Try fewer words, or search.'
    const rows = results.map((/** @type {any} */ row) => ({
      ...row,
      date: row.seen_at && `seen ${new Date(row.seen_at).toLocaleDateString()}`,
    }))
    list.replaceChildren(
      ...sourceList(rows, new Set()).map((item, index) => {
        if (mayForget) item.append(forgetButton(hostOf(rows[index].url)))
        return item
      }),
    )
  } catch (error) {
    list.replaceChildren()
    note.textContent = messageOf(error)
  }
}

/** @param {string} host */
function forgetButton(host) {
  const button = element('button', { type: 'button', class: 'link' }, `Forget ${host}`)
  button.addEventListener('click', () => {
    if (confirm(`Forget every page of ${host} and its subdomains?`)) void forget(`site=${encodeURIComponent(host)}`)
  })
  return button
}

/** @param {string} what */
async function forget(what) {
  const note = byId('memory-note', HTMLElement)
  try {
    const reply = await call(`v1/memory?${what}`, { method: 'DELETE' })
    if (!reply.ok) throw await failureOf(reply)
    const { pages } = await reply.json()
    byId('recalled', HTMLElement).replaceChildren()
    await showSize()
    note.textContent = `${counted(pages, 'page')} forgotten.`
    // Its button is gone.
    byId('recall-query', HTMLInputElement).focus()
  } catch (error) {
    note.textContent = messageOf(error)
  }
}

/**
 * @param {number} number
 * @param {string} one
 */
function counted(number, one) {
  return `${number.toLocaleString()} ${number === 1 ? one : `${one}s`}`
}

/** @param {number} bytes */
function megabytes(bytes) {
  return bytes < 100_000 ? 'less than 0.1 MB' : `${(bytes / 1e6).toLocaleString([], { maximumFractionDigits: 1 })} MB`
}

/**
 * @param {string} oldest
 * @param {string} newest
 */
function days(oldest, newest) {
  const [first, last] = [oldest, newest].map((time) => new Date(time).toLocaleDateString())
  return first === last ? first : `from ${first} to ${last}`
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}
