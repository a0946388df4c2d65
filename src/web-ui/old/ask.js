// The search box: asks, shows the answer while it is written, stops, and goes on with a follow-up.

import { CallError, storedKey, stream } from './api.js'
import { byId, duration, span } from './dom.js'
import { Exchange } from './exchange.js'
import { hostOf } from './rendering.js'
import { placeSignIn } from './sign-in.js'

/** How many earlier exchanges go along with a follow-up. */
const maxEarlier = 10

/** @param {{onUnauthorized: (error: CallError) => void, onEnd: () => void}} page */
export function setUpSearch({ onUnauthorized, onEnd }) {
  const form = byId('ask', HTMLFormElement)
  const question = byId('question', HTMLInputElement)
  const effort = byId('effort', HTMLSelectElement)
  const stop = byId('stop', HTMLButtonElement)
  const submit = byId('submit', HTMLButtonElement)
  const renew = byId('new-question', HTMLButtonElement)
  const thread = byId('thread', HTMLElement)
  /** @type {AbortController | undefined} */
  let running
  /** @type {Exchange[]} */
  let asked = []

  const kept = new URLSearchParams(location.hash.slice(1))
  const address = new URLSearchParams(location.search)
  const sought = address.get('q')
  // What a phone shares may have its words in the title alone.
  question.value = kept.get('q') ?? sought ?? address.get('title') ?? address.get('url') ?? ''
  if (/^sonar[a-z-]*$/.test(kept.get('model') ?? '')) effort.value = kept.get('model') ?? ''
  if (!effort.value) effort.value = 'sonar-pro'
  showExamples(!question.value)

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    ask()
  })
  stop.addEventListener('click', () => running?.abort())
  renew.addEventListener('click', () => {
    running?.abort()
    asked = []
    placeSignIn()
    thread.replaceChildren()
    history.replaceState(null, '', `${location.pathname}#`)
    showThread()
    question.focus()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') running?.abort()
  })
  for (const example of document.querySelectorAll('#examples button')) {
    example.addEventListener('click', () => {
      question.value = example.textContent?.trim() ?? ''
      ask()
    })
  }

  // At once for a search engine's address alone: a search costs, and anybody can write a link to this page.
  const { isDirect, needsKey } = document.body.dataset
  if (sought && isDirect === 'true' && (needsKey !== 'true' || storedKey() !== null)) ask()

  function ask() {
    const text = question.value.trim()
    if (!text) return
    const exchange = new Exchange(text, { onAgain: () => void run(exchange, true) })
    asked.push(exchange)
    thread.append(exchange.root)
    question.value = ''
    showThread()
    if (asked.length > 1) exchange.root.scrollIntoView()
    void run(exchange)
  }

  function showThread() {
    showExamples(asked.length === 0)
    renew.hidden = asked.length === 0
    question.placeholder = asked.length === 0 ? 'What do you want to know?' : 'Ask a follow-up'
  }

  /** @param {Exchange} exchange */
  async function run(exchange, isFresh = false) {
    running?.abort()
    const controller = new AbortController()
    running = controller
    const model = effort.value
    // Without `?q=`, so that no reload searches again.
    history.replaceState(null, '', `${location.pathname}#${new URLSearchParams({ q: exchange.question, model })}`)
    submit.hidden = true
    stop.hidden = false
    exchange.begin()
    const key = storedKey()
    try {
      const earlier = asked.slice(0, asked.indexOf(exchange)).filter(({ isAnswered }) => isAnswered)
      await showAnswer(exchange, messagesOf(earlier, exchange), model, controller.signal, isFresh)
    } catch (error) {
      if (controller.signal.aborted) exchange.progress('Stopped.')
      else exchange.showFailure(error, curesFor(error, exchange))
      if (error instanceof CallError && error.status === 401 && key === storedKey()) onUnauthorized(error)
    } finally {
      exchange.end()
      if (running === controller) {
        running = undefined
        submit.hidden = false
        stop.hidden = true
        onEnd()
      }
    }
  }

  /**
   * What a person can do, the likeliest first.
   * @param {unknown} error
   * @param {Exchange} exchange
   */
  function curesFor(error, exchange) {
    const status = error instanceof CallError ? error.status : 0
    const again = { label: 'Search again', run: () => void run(exchange) }
    const toState = (/** @type {string} */ label) => ({ label, run: () => location.assign('#state') })
    const faster = {
      label: 'Try Fast',
      run() {
        effort.value = 'sonar'
        void run(exchange)
      },
    }
    const change = {
      label: 'Change the question',
      run() {
        question.value = exchange.question
        question.focus()
      },
    }
    if (status === 400 || status === 422) return [change]
    if (status === 429) return [toState('Show the limits'), again]
    if (status === 503) return [toState('Show what is wrong'), again]
    if (status === 504) return [faster, again]
    return [again]
  }
}

/** @param {boolean} wanted */
function showExamples(wanted) {
  byId('examples', HTMLElement).hidden = !wanted
}

/**
 * A question with what was said before it.
 * @param {readonly Exchange[]} earlier
 * @param {Exchange} exchange
 */
function messagesOf(earlier, { question }) {
  const said = earlier.slice(-maxEarlier).flatMap((one) => [
    { role: 'user', content: one.question },
    { role: 'assistant', content: one.text },
  ])
  return [...said, { role: 'user', content: question }]
}

/**
 * @param {Exchange} exchange
 * @param {readonly object[]} messages
 * @param {string} model
 * @param {AbortSignal} signal
 * @param {boolean} isFresh
 */
async function showAnswer(exchange, messages, model, signal, isFresh) {
  const startedAt = performance.now()
  let phase = 'Searching…'
  const showPhase = () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    exchange.progress(seconds < 1 ? phase : `${seconds} s · ${phase}`)
  }
  showPhase()
  exchange.showStep(0)
  const clock = setInterval(showPhase, 1000)
  let freshness = ''
  const onReply = (/** @type {Response} */ { headers }) => {
    const isCached = !['miss', null].includes(headers.get('x-cache'))
    const age = Number(headers.get('age') ?? 0)
    if (isCached) freshness = age > 0 ? `, from the cache, ${span(age)} old` : ', from the cache'
  }
  const body = { model, stream: true, stream_mode: 'concise', messages }
  try {
    for await (const chunk of stream('chat/completions', body, signal, { isFresh, onReply })) {
      take(exchange, chunk)
      phase = phaseOf(exchange)
      showPhase()
      exchange.showStep(exchange.text ? 2 : 1)
      exchange.change()
    }
  } finally {
    clearInterval(clock)
    exchange.draw()
  }
  exchange.finish()
  exchange.progress(`${counted(exchange.sources)} in ${duration(performance.now() - startedAt)}${freshness}.`)
}

/**
 * @param {Exchange} exchange
 * @param {any} chunk
 */
function take(exchange, chunk) {
  const [choice] = chunk.choices ?? []
  for (const step of choice?.delta?.reasoning_steps ?? []) {
    exchange.sources = joined(exchange.sources, step.web_search?.search_results)
    if (step.type === null) exchange.waiting = step.thought
  }
  if (chunk.evidence) exchange.evidence = chunk.evidence
  if (chunk.receipt) exchange.receipt = chunk.receipt
  if (chunk.search_results) exchange.sources = chunk.search_results
  if (chunk.object === 'chat.completion.chunk') exchange.text += choice?.delta?.content ?? ''
  if (chunk.object === 'chat.completion.done') exchange.text = choice?.message?.content ?? exchange.text
}

/** @param {Exchange} exchange */
function phaseOf({ text, sources, waiting }) {
  if (text) return `Writing from ${counted(sources)}…`
  // How long it takes, and what is amiss, come first: a telephone has room for two lines.
  return [waiting, sources.length > 0 ? readingPhase(sources) : ''].filter(Boolean).join(' ') || 'Searching…'
}

/**
 * Names the sites of the results, a few of them.
 * @param {readonly import('./rendering.js').Source[]} sources
 */
function readingPhase(sources) {
  const hosts = [...new Set(sources.map(({ url }) => hostOf(url)))]
  const more = hosts.length > 3 ? ` and ${hosts.length - 3} more` : ''
  return `${counted(sources)}: ${hosts.slice(0, 3).join(', ')}${more}…`
}

/** @param {readonly unknown[]} sources */
function counted(sources) {
  return sources.length === 1 ? '1 result' : `${sources.length} results`
}

/**
 * @param {readonly import('./rendering.js').Source[]} known
 * @param {readonly import('./rendering.js').Source[] | undefined} found
 */
function joined(known, found = []) {
  const urls = new Set(known.map(({ url }) => url))
  return [...known, ...found.filter(({ url }) => !urls.has(url))]
}
