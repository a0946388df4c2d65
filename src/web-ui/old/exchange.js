// One question on the page with what came of it: steps, answer, sources, and what to do with them.

import { CallError } from './api.js'
import { copyText } from './connect.js'
import { byId, element } from './dom.js'
import { saveReceipt } from './receipts.js'
import { checkedInWords, citedIn, hostOf, paragraphs, sourceList, verdictChips } from './rendering.js'
import { placeSignIn } from './sign-in.js'

/** @typedef {import('./rendering.js').Source} Source */
/** @typedef {import('./rendering.js').Evidence} Evidence */

export class Exchange {
  /** @type {string} */ text = ''
  /** @type {readonly Source[]} */ sources = []
  /** @type {readonly Evidence[]} */ evidence = []
  /** @type {string | undefined} */ receipt
  /** What is waited for, or has not come. */
  waiting = ''
  /** The answer is whole. */
  isAnswered = false
  #isDrawn = true

  /**
   * @param {string} question
   * @param {{onAgain: () => void}} page
   */
  constructor(question, { onAgain }) {
    this.question = question
    const copied = byId('exchange', HTMLTemplateElement).content.firstElementChild?.cloneNode(true)
    if (!(copied instanceof HTMLElement)) throw new Error('The page has no exchange.')
    this.root = copied
    this.root.setAttribute('aria-label', question)
    this.part('asked').textContent = question
    this.part('again').addEventListener('click', onAgain)
    this.part('copy').addEventListener('click', ({ currentTarget }) => void this.#copy(currentTarget))
    this.part('receipt').addEventListener('click', ({ currentTarget }) => {
      if (currentTarget instanceof HTMLElement && this.receipt) void saveReceipt(currentTarget, this.receipt)
    })
  }

  /** @param {string} name the class of a part */
  part(name) {
    const found = this.root.querySelector(`.${name}`)
    if (found instanceof HTMLElement) return found
    throw new Error(`An exchange has no ${name}.`)
  }

  /** As before its answer. */
  begin() {
    this.text = ''
    this.sources = []
    this.evidence = []
    this.receipt = undefined
    this.waiting = ''
    this.isAnswered = false
    for (const name of ['answer', 'sources', 'checked', 'failure']) this.part(name).replaceChildren()
    for (const name of ['failure', 'result', 'actions', 'receipt']) this.part(name).hidden = true
    // Screen readers wait for the end rather than read every piece.
    this.part('answer').setAttribute('aria-busy', 'true')
    byId('evidence', HTMLElement).hidden = true
  }

  /** Draws what is known, at most once a frame. */
  change() {
    if (this.#isDrawn)
      requestAnimationFrame(() => {
        if (!this.#isDrawn) this.draw()
      })
    this.#isDrawn = false
  }

  draw() {
    this.#isDrawn = true
    this.part('answer').replaceChildren(...paragraphs(this.text, this.sources, this.evidence))
    this.part('sources').replaceChildren(...sourceList(this.sources, citedIn(this.text)))
    this.part('result').hidden = false
  }

  /** The answer is there. */
  finish() {
    this.isAnswered = true
    this.draw()
    const chips = element('span', { class: 'chips', 'aria-hidden': 'true' }, ...verdictChips(this.evidence))
    if (this.evidence.length > 0)
      this.part('checked').replaceChildren(chips, element('span', { class: 'hidden' }, checkedInWords(this.evidence)))
    this.part('receipt').hidden = this.receipt === undefined
    this.part('actions').hidden = false
  }

  /** Neither writing nor waiting goes on. */
  end() {
    this.part('answer').setAttribute('aria-busy', 'false')
    this.showStep(-1)
  }

  /** @param {string} text */
  progress(text) {
    this.part('progress').textContent = text
  }

  /** @param {number} current which step is being done; -1 for none */
  showStep(current) {
    const steps = this.part('steps')
    steps.hidden = current < 0
    for (const [index, step] of [...steps.children].entries())
      step.className = index < current ? 'done' : index === current ? 'current' : ''
  }

  /**
   * What went wrong, and the cure as a button.
   * @param {unknown} error
   * @param {{label: string, run: () => void}[]} cures
   */
  showFailure(error, cures) {
    this.progress('')
    const failure = this.part('failure')
    const message = error instanceof Error ? error.message : String(error)
    failure.replaceChildren(element('p', {}, element('strong', {}, message)))
    if (error instanceof CallError && error.advice) failure.append(element('p', {}, error.advice))
    const buttons = cures.map(({ label, run }) => {
      const button = element('button', { type: 'button', class: 'plain' }, label)
      button.addEventListener('click', run)
      return button
    })
    failure.append(element('div', { class: 'line' }, ...buttons))
    if (error instanceof CallError && error.kind === 'signed_out') placeSignIn(failure)
    failure.hidden = false
  }

  /** @param {EventTarget | null} button */
  async #copy(button) {
    if (!(button instanceof HTMLElement)) return
    const isCopied = await copyText(inMarkdown(this.question, this.text, this.sources))
    button.textContent = isCopied ? 'Copied' : 'This browser does not allow copying'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  }
}

/**
 * A question and its answer with the sources that it cites, as Markdown.
 * @param {string} question
 * @param {string} text
 * @param {readonly Source[]} sources
 */
function inMarkdown(question, text, sources) {
  const cited = citedIn(text)
  const list = sources.flatMap(({ title, url }, index) =>
    cited.has(index + 1) ? [`${index + 1}. [${inBrackets(title || hostOf(url))}](<${url}>)`] : [],
  )
  return [`**${question.replaceAll('*', '')}**`, text.trim(), ...(list.length > 0 ? [list.join('\n')] : [])].join(
    '\n\n',
  )
}

/** @param {string} text */
function inBrackets(text) {
  return text.replaceAll(/[\\[\]<>`*_$!&|~]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ')
}
