// The login of Claude: csp starts it in the CLI, a person opens its link and brings the code. No token passes here.

import { CallError, call, failureOf, stream } from './api.js'
import { byId } from './dom.js'

/** @type {AbortController | undefined} */
let running

/** @param {{onEnd: () => void}} page */
export function setUpSignIn({ onEnd }) {
  const start = byId('sign-in-start', HTMLButtonElement)
  const link = byId('sign-in-link', HTMLAnchorElement)
  const form = byId('code-form', HTMLFormElement)
  const code = byId('code', HTMLInputElement)
  let id = ''

  start.addEventListener('click', async () => {
    running?.abort()
    const controller = new AbortController()
    running = controller
    showStep('waiting')
    note('Starting the CLI…')
    try {
      for await (const step of stream('sign-in', {}, controller.signal)) {
        if (step.type === 'started') id = step.id
        if (step.type === 'link') {
          link.href = step.url
          showStep('code')
          note('')
          link.focus()
        }
        if (step.type === 'note') note(step.text)
        if (step.type === 'failed') throw new CallError(0, step.message, '')
        if (step.type === 'done') break
      }
      note('Signed in. Searches work from now on.')
      byId('question', HTMLInputElement).focus()
    } catch (error) {
      if (running === controller) {
        const text = error instanceof CallError ? `${error.message} ${error.advice}`.trim() : String(error)
        note(controller.signal.aborted ? 'Cancelled.' : text, !controller.signal.aborted)
        start.focus()
      }
    } finally {
      if (running === controller) {
        running = undefined
        code.value = ''
        showStep('start')
        onEnd()
      }
    }
  })

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    note('Claude checks the code…')
    try {
      const reply = await call('sign-in/code', { method: 'POST', body: JSON.stringify({ id, code: code.value }) })
      if (!reply.ok) note((await failureOf(reply)).message, true)
    } catch (error) {
      note(error instanceof Error ? error.message : String(error), true)
    }
    code.value = ''
  })

  byId('sign-in-cancel', HTMLButtonElement).addEventListener('click', () => running?.abort())
}

/** @param {boolean} isWanted the CLI is signed out, and csp can have it sign in */
export function offerSignIn(isWanted) {
  if (!running) byId('sign-in', HTMLElement).hidden = !isWanted
}

/**
 * Shows the sign-in where it is needed: in an error, or in a view. It keeps what it has.
 * @param {Element | null} [place] absent: in the view that is shown
 */
export function placeSignIn(place = document.querySelector('.current .sign-in-place')) {
  const panel = byId('sign-in', HTMLElement)
  if (place && !place.contains(panel)) place.append(panel)
}

/** @param {'start' | 'waiting' | 'code'} step */
function showStep(step) {
  byId('sign-in-start', HTMLElement).hidden = step !== 'start'
  byId('sign-in-steps', HTMLElement).hidden = step !== 'code'
  byId('sign-in-cancel', HTMLElement).hidden = step === 'start'
}

/**
 * @param {string} text
 * @param {boolean} isProblem
 */
function note(text, isProblem = false) {
  const shown = byId('sign-in-note', HTMLElement)
  shown.textContent = text
  shown.className = isProblem ? 'problem' : ''
}
