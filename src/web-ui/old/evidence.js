// What a page says of a sentence: in a card beside its marker, or below the paragraph where nothing can hover.

import { byId, element } from './dom.js'

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding

/** Between the card and the edge of the window. */
const margin = 16

/** @param {readonly HTMLElement[]} places whose markers have `data-said` */
export function setUpEvidence(places) {
  const card = byId('evidence', HTMLElement)
  for (const place of places) follow(place, card)
  card.addEventListener('mouseenter', () => clearTimeout(hiding))
  card.addEventListener('mouseleave', () => hideSoon(card))
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') card.hidden = true
  })
}

/**
 * @param {HTMLElement} answer
 * @param {HTMLElement} card
 */
function follow(answer, card) {
  for (const kind of ['mouseover', 'focusin']) {
    answer.addEventListener(kind, ({ target }) => {
      const marker = markerAt(target)
      if (marker && !isTouch()) show(card, marker)
    })
  }
  for (const kind of ['mouseout', 'focusout']) answer.addEventListener(kind, () => hideSoon(card))
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
  const at = marker.getBoundingClientRect()
  const width = document.documentElement.clientWidth
  card.style.left = `${Math.max(margin, Math.min(at.left - 24, width - card.offsetWidth - margin))}px`
  card.style.top = `${at.bottom + scrollY + 8}px`
}

/**
 * The first tap on a marker says it below its paragraph, the next one goes to the page.
 * @param {Event} event
 * @param {HTMLElement} marker
 */
function showBelow(event, marker) {
  const text = `${marker.textContent?.replace('?', '')} ${marker.dataset.said}`
  const shown = marker.closest('.answer, details')?.querySelector('.passage')
  if (shown?.textContent === text) return
  event.preventDefault()
  shown?.remove()
  marker.closest('p')?.after(element('p', { class: 'quiet passage', role: 'status' }, text))
}
