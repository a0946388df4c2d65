// Texts to copy: configurations for clients, and commands. This address in them, and a button that copies them.

import { ownAddress } from './api.js'
import { byId } from './dom.js'

/** @param {HTMLElement} section */
export function setUpSnippets(section) {
  const rendered = section.dataset.url ?? ''
  for (const snippet of section.querySelectorAll('.snippet')) {
    const [text, button] = [snippet.querySelector('pre'), snippet.querySelector('button')]
    if (!text || !button) continue
    // A proxy may have changed the name, the scheme or the path.
    text.textContent = (text.textContent ?? '').replaceAll(rendered, ownAddress())
    button.addEventListener('click', async () => {
      button.textContent = (await copy(text)) ? 'Copied' : 'Selected: copy it'
      // The button has a label of its own, so its text is not read out.
      byId('copied', HTMLElement).textContent = `${button.textContent}.`
      setTimeout(() => {
        button.textContent = 'Copy'
        byId('copied', HTMLElement).textContent = ''
      }, 2000)
    })
  }
}

/** @param {HTMLInputElement} filter for the clients beside it */
export function setUpFilter(filter) {
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase()
    let found = 0
    for (const group of filter.parentElement?.querySelectorAll('.group') ?? []) {
      const clients = [...group.querySelectorAll('details')]
      for (const client of clients)
        client.hidden = !(client.querySelector('summary')?.textContent ?? '').toLowerCase().includes(wanted)
      const shown = clients.filter(({ hidden }) => !hidden).length
      group.toggleAttribute('hidden', shown === 0)
      found += shown
    }
    byId('no-client', HTMLElement).textContent =
      found > 0 ? '' : 'No client has this name. Any that speaks MCP or one of the APIs works.'
  })
}

/**
 * Copies a text that is nowhere on the page.
 * @param {string} text
 */
export async function copyText(text) {
  const shown = document.createElement('pre')
  shown.className = 'hidden'
  shown.textContent = text
  document.body.append(shown)
  try {
    return await copy(shown)
  } finally {
    shown.remove()
  }
}

/**
 * At an address of plain http beyond this machine there is no `navigator.clipboard`; the older way works there. Where
 * neither may copy, the text stays selected.
 * @param {HTMLElement} element
 */
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(element)
    const isCopied = document.execCommand('copy')
    if (isCopied) getSelection()?.removeAllRanges()
    return isCopied
  }
}
