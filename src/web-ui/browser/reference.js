// The reference of the routes: commands with this address, and a filter.

import { setUpSnippets } from './connect.js'
import { byId } from './dom.js'

const filter = byId('filter', HTMLInputElement)
const sections = [...document.querySelectorAll('main section')]

setUpSnippets(byId('reference', HTMLElement))

filter.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase()
  for (const section of sections) {
    const routes = [...section.querySelectorAll('details')]
    for (const route of routes) {
      route.hidden = !(route.querySelector('summary')?.textContent ?? '').toLowerCase().includes(wanted)
    }
    section.toggleAttribute(
      'hidden',
      routes.every(({ hidden }) => hidden),
    )
  }
})
