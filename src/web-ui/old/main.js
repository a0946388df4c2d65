// Puts the page together: search, key, and the state, asked for while the page can be seen.

import { call, failureOf, isKey, storedKey, storeKey, takeKeyFromAddress } from './api.js'
import { setUpSearch } from './ask.js'
import { setUpFilter, setUpSnippets } from './connect.js'
import { byId, element, tick } from './dom.js'
import { setUpEvidence } from './evidence.js'
import { showJobs } from './jobs.js'
import { setUpMemory } from './memory.js'
import { setUpReceipts } from './receipts.js'
import { showRequests } from './requests.js'
import { placeSignIn, setUpSignIn } from './sign-in.js'
import { showNoAnswer, showState } from './state.js'
import { setUpViews } from './views.js'

const keyForm = byId('key-form', HTMLFormElement)
const remember = byId('remember', HTMLInputElement)
const keyInput = byId('key', HTMLInputElement)
const keyNote = byId('key-note', HTMLElement)
const changeKey = byId('change-key', HTMLButtonElement)
let isChanging = false
let isEntered = false
const refreshMs = Number(document.body.dataset.refresh) * 1000

/** @param {string} [problem] */
function askForKey(problem) {
  const isNew = keyForm.hidden
  keyForm.hidden = false
  if (problem) {
    keyNote.textContent = problem
    keyNote.className = 'problem'
  }
  if (isNew) keyInput.focus()
}

keyForm.addEventListener('submit', async (event) => {
  event.preventDefault()
  const key = keyInput.value.trim()
  if (!isKey(key)) return askForKey('This key is wrong: a key has no spaces and no letters beyond ASCII.')
  storeKey(key, remember.checked)
  isChanging = false
  isEntered = true
  renewKept()
  await refresh(true)
})
changeKey.addEventListener('click', () => {
  isChanging = true
  askForKey()
})

/** @param {{status: number, message: string}} failure */
function onUnauthorized({ message }) {
  const isWrong = storedKey() !== null
  storeKey(null)
  // What the key before it could see.
  if (isWrong) renewKept()
  changeKey.hidden = true
  askForKey(isWrong ? `${message} Look at it again, or make another with csp keys add NAME.` : undefined)
}

const [renewReceipts, renewMemory] = [setUpReceipts(), setUpMemory()]
function renewKept() {
  renewReceipts()
  renewMemory()
}

let isRefreshing = false
let isOutdated = false

/** @param {boolean} isNew what is being asked for is out of date already */
async function refresh(isNew = false) {
  isOutdated ||= isNew && isRefreshing
  if (isRefreshing) return
  isRefreshing = true
  const key = storedKey()
  try {
    const signal = AbortSignal.timeout(20_000)
    const [health, usage, requests, jobs] = await Promise.all(
      ['health', 'v1/usage', 'v1/requests', 'v1/jobs'].map(async (path) => {
        const reply = await call(path, { signal })
        if (path !== 'health' && !reply.ok) return { failure: await failureOf(reply) }
        return { body: await reply.json() }
      }),
    )
    // The key has changed since.
    if (key !== storedKey()) return
    showState(health?.body, usage?.body)
    if (usage?.failure?.status === 401) onUnauthorized(usage.failure)
    else if (usage?.body && !isChanging) {
      keyForm.hidden = true
      keyInput.value = ''
      // The focus would be lost with the form.
      if (isEntered) byId('question', HTMLInputElement).focus()
      isEntered = false
      changeKey.hidden = storedKey() === null
    }
    showJobs(jobs?.body?.data ?? [])
    if (requests?.body) showRequests(requests.body.requests)
    else
      byId('requests', HTMLElement).replaceChildren(element('p', { class: 'quiet' }, requests?.failure?.message ?? ''))
  } catch {
    showNoAnswer()
  } finally {
    isRefreshing = false
    if (isOutdated) {
      isOutdated = false
      void refresh()
    }
  }
}

takeKeyFromAddress()
setUpSnippets(byId('connect', HTMLElement))
setUpFilter(byId('client-filter', HTMLInputElement))
setUpEvidence([byId('thread', HTMLElement), byId('receipts', HTMLElement)])
setUpSignIn({ onEnd: () => void refresh(true) })
setUpSearch({
  onUnauthorized,
  onEnd() {
    renewKept()
    void refresh(true)
  },
})
setUpViews((view) => {
  placeSignIn()
  renewKept()
  if (view === 'search' && keyForm.hidden) byId('question', HTMLInputElement).focus()
  void refresh(true)
})
// The form comes at once, not after the first reply.
if (document.body.dataset.needsKey === 'true' && storedKey() === null) askForKey()
setInterval(() => {
  if (document.visibilityState === 'visible') void refresh()
}, refreshMs)
setInterval(() => {
  if (document.visibilityState === 'visible') tick()
}, 1000)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh()
})
