// What a page says of a sentence: in a card beside its marker, or below the paragraph where nothing can hover.

import { byId, element } from './dom.js'

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding

/** @param {HTMLElement} answer whose markers have `data-said` */
export function setUpEvidence(answer) {
  const card = byId('evidence', HTMLElement)
  for (const kind of ['mouseover', 'focusin']) {
    answer.addEventListener(kind, ({ target }) => {
      const marker = markerAt(target)
      if (marker && !isTouch()) show(card, marker)
    })
  }
  for (const kind of ['mouseout', 'focusout']) answer.addEventListener(kind, () => hideSoon(card))
  card.addEventListener('mouseenter', () => clearTimeout(hiding))
  card.addEventListener('mouseleave', () => hideSoon(card))
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') card.hidden = true
  })
  answer.addEventListener('click', (event) => {
    const marker = markerAt(event.target)
    if (marker?.dataset.said && isTouch()) showBelow(event, marker)
  })
}

function isTouch() {
  return matchMedia('(hover: none)').matches
}

/** @param {EventTarget | null} target */
function markerAt(target) {
  const marker = target instanceof Element ? target.closest('a.cite') : null
  return marker instanceof HTMLElement ? marker : undefined
}

/** @param {HTMLElement} card */
function hideSoon(card) {
  clearTimeout(hiding)
  // Long enough to reach the card with the mouse.
  hiding = setTimeout(() => {
    card.hidden = true
  }, 200)
}

/**
 * @param {HTMLElement} card
 * @param {HTMLElement} marker
 */
function show(card, marker) {
  clearTimeout(hiding)
  const { title = '', host = '', said = '' } = marker.dataset
  const text = said ? [element('p', marker.classList.contains('doubtful') ? { class: 'doubt' } : {}, said)] : []
  card.replaceChildren(element('strong', {}, title), element('span', { class: 'quiet' }, host), ...text)
  card.hidden = false
  const [at, stage] = [marker.getBoundingClientRect(), byId('stage', HTMLElement).getBoundingClientRect()]
  card.style.left = `${Math.max(0, Math.min(at.left - stage.left - 24, stage.width - card.offsetWidth))}px`
  card.style.top = `${at.bottom - stage.top + 8}px`
}

/**
 * The first tap on a marker says it below its paragraph, the next one goes to the page.
 * @param {Event} event
 * @param {HTMLElement} marker
 */
function showBelow(event, marker) {
  const text = `${marker.textContent?.replace('?', '')} ${marker.dataset.said}`
  const shown = document.querySelector('#answer .passage')
  if (shown?.textContent === text) return
  event.preventDefault()
  shown?.remove()
  marker.closest('p')?.after(element('p', { class: 'quiet passage', role: 'status' }, text))
}
