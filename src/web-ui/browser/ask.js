// The search box: asks, shows the answer while it is written, stops.

import { CallError, storedKey, stream } from './api.js'
import { byId, duration, element, span } from './dom.js'
import { checkedInWords, citedIn, paragraphs, sourceList } from './rendering.js'

/** @param {{onUnauthorized: (error: CallError) => void, onEnd: () => void}} page */
export function setUpSearch({ onUnauthorized, onEnd }) {
  const form = byId('ask', HTMLFormElement)
  const question = byId('question', HTMLInputElement)
  const effort = byId('effort', HTMLSelectElement)
  const stop = byId('stop', HTMLButtonElement)
  const submit = byId('submit', HTMLButtonElement)
  const again = byId('again', HTMLButtonElement)
  /** @type {AbortController | undefined} */
  let running

  const kept = new URLSearchParams(location.hash.slice(1))
  const sought = new URLSearchParams(location.search).get('q')
  question.value = kept.get('q') ?? sought ?? ''
  if (/^sonar[a-z-]*$/.test(kept.get('model') ?? '')) effort.value = kept.get('model') ?? ''
  if (!effort.value) effort.value = 'sonar-pro'
  showExamples(!question.value)

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void search()
  })
  again.addEventListener('click', () => void search(true))
  stop.addEventListener('click', () => running?.abort())
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') running?.abort()
  })
  for (const example of document.querySelectorAll('#examples button')) {
    example.addEventListener('click', () => {
      question.value = example.textContent?.trim() ?? ''
      void search()
    })
  }

  // At once for a search engine's address alone: a search costs, and anybody can write a link to this page.
  const { isDirect, needsKey } = document.body.dataset
  if (sought && isDirect === 'true' && (needsKey !== 'true' || storedKey() !== null)) void search()

  async function search(isFresh = false) {
    const text = question.value.trim()
    if (!text) return
    running?.abort()
    const controller = new AbortController()
    running = controller
    // Without `?q=`, so that no reload searches again.
    history.replaceState(null, '', `${location.pathname}#${new URLSearchParams({ q: text, model: effort.value })}`)
    // What is below leaves the window now, at a click, rather than jump with each line of the answer.
    const stage = byId('stage', HTMLElement)
    stage.style.minHeight = `${Math.max(stage.offsetHeight, innerHeight - stage.getBoundingClientRect().top)}px`
    showExamples(false)
    again.hidden = true
    submit.hidden = true
    stop.hidden = false
    try {
      await showAnswer(text, effort.value, controller.signal, isFresh)
      again.hidden = false
    } catch (error) {
      if (running !== controller) return
      if (controller.signal.aborted) progress('Stopped.')
      else showFailure(error)
      if (error instanceof CallError && error.status === 401) onUnauthorized(error)
    } finally {
      if (running === controller) {
        running = undefined
        submit.hidden = false
        stop.hidden = true
        byId('answer', HTMLElement).setAttribute('aria-busy', 'false')
        showStep(-1)
        onEnd()
      }
    }
  }
}

/** @param {boolean} wanted */
function showExamples(wanted) {
  byId('examples', HTMLElement).hidden = !wanted
}

/** @param {number} current which step is being done; -1 for none */
function showStep(current) {
  const steps = byId('steps', HTMLElement)
  steps.hidden = current < 0
  for (const [index, step] of [...steps.children].entries())
    step.className = index < current ? 'done' : index === current ? 'current' : ''
}

/** @param {string} text */
function progress(text) {
  byId('progress', HTMLElement).textContent = text
}

/** @param {unknown} error */
function showFailure(error) {
  progress('')
  const failure = byId('failure', HTMLElement)
  const message = error instanceof Error ? error.message : String(error)
  failure.replaceChildren(element('p', {}, element('strong', {}, message)))
  if (error instanceof CallError) failure.append(element('p', {}, error.advice))
  failure.hidden = false
}

/**
 * @param {string} question
 * @param {string} model
 * @param {AbortSignal} signal
 * @param {boolean} isFresh
 */
async function showAnswer(question, model, signal, isFresh) {
  const answer = byId('answer', HTMLElement)
  const list = byId('sources', HTMLElement)
  const result = byId('result', HTMLElement)
  byId('failure', HTMLElement).hidden = true
  result.hidden = true
  answer.replaceChildren()
  list.replaceChildren()
  byId('checked', HTMLElement).textContent = ''
  byId('evidence', HTMLElement).hidden = true
  // Screen readers wait for the end rather than read every piece.
  answer.setAttribute('aria-busy', 'true')
  const startedAt = performance.now()
  let phase = 'Searching…'
  const showPhase = () =>
    progress(
      performance.now() - startedAt < 1000 ? phase : `${phase} ${Math.floor((performance.now() - startedAt) / 1000)} s`,
    )
  showPhase()
  showStep(0)
  const clock = setInterval(showPhase, 1000)
  signal.addEventListener('abort', () => clearInterval(clock), { once: true })

  let text = ''
  /** @type {import('./rendering.js').Source[]} */
  let sources = []
  /** @type {readonly import('./rendering.js').Evidence[] | undefined} */
  let evidence
  let freshness = ''
  let isDrawn = true
  const draw = () => {
    isDrawn = true
    if (signal.aborted) return
    answer.replaceChildren(...paragraphs(text, sources, evidence))
    list.replaceChildren(...sourceList(sources, citedIn(text)))
    result.hidden = false
  }
  const change = () => {
    if (isDrawn) requestAnimationFrame(draw)
    isDrawn = false
  }

  const body = { model, stream: true, stream_mode: 'concise', messages: [{ role: 'user', content: question }] }
  try {
    const onReply = (/** @type {Response} */ { headers }) => {
      const isCached = !['miss', null].includes(headers.get('x-cache'))
      const age = Number(headers.get('age') ?? 0)
      if (isCached) freshness = age > 0 ? `, from the cache, ${span(age)} old` : ', from the cache'
    }
    for await (const chunk of stream('chat/completions', body, signal, { isFresh, onReply })) {
      const [choice] = chunk.choices ?? []
      for (const step of choice?.delta?.reasoning_steps ?? [])
        sources = joined(sources, step.web_search?.search_results)
      if (chunk.evidence) evidence = chunk.evidence
      if (chunk.search_results) sources = chunk.search_results
      if (chunk.object === 'chat.completion.chunk') text += choice?.delta?.content ?? ''
      if (chunk.object === 'chat.completion.done') text = choice?.message?.content ?? text
      const count = sources.length === 1 ? '1 result' : `${sources.length} results`
      phase = text ? `Writing from ${count}…` : `${count}, reading…`
      showPhase()
      showStep(text ? 2 : 1)
      change()
    }
  } finally {
    clearInterval(clock)
  }
  draw()
  byId('checked', HTMLElement).textContent = checkedInWords(evidence)
  progress(
    `${sources.length === 1 ? '1 result' : `${sources.length} results`} in ${duration(performance.now() - startedAt)}${freshness}.`,
  )
}

/**
 * @param {readonly import('./rendering.js').Source[]} known
 * @param {readonly import('./rendering.js').Source[] | undefined} found
 */
function joined(known, found = []) {
  const urls = new Set(known.map(({ url }) => url))
  return [...known, ...found.filter(({ url }) => !urls.has(url))]
}
