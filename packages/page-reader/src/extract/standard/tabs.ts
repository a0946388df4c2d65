import type { Document, Element } from '../tree/nodes.ts'
import { textWithin } from './within.ts'

/**
 * Shows all of a set of tabs with code, of which a browser shows one at a time, each under its name. Only where one of them
 * is shown: what a page hides as a whole stays hidden.
 */
export function standardiseTabs(document: Document): void {
  const panels = [...document.querySelectorAll('[role="tabpanel"]')].slice(0, maxPanels)
  for (const [around, own] of Map.groupBy(panels, ({ parentElement }) => parentElement)) {
    if (!around || own.length < 2 || own.every(isHidden) || !own.some((panel) => panel.querySelector('pre'))) continue
    const names = namesOf(document, around, own)
    for (const [index, panel] of own.entries()) show(document, panel, names[index])
  }
}

const maxPanels = 500

function isHidden(panel: Element): boolean {
  return (
    panel.hasAttribute('hidden') ||
    panel.getAttribute('aria-hidden') === 'true' ||
    /display\s*:\s*none/i.test((panel.getAttribute('style') ?? '').slice(0, 300))
  )
}

function namesOf(document: Document, around: Element, panels: readonly Element[]): readonly (string | undefined)[] {
  const list = listBefore(around)
  const tabs = [...(list?.querySelectorAll('[role="tab"]') ?? [])]
  return panels.map((panel, index) => {
    const id = panel.getAttribute('aria-labelledby')
    const own = panel.getAttribute('id')
    const label =
      tabs.find((tab) => (id && tab.getAttribute('id') === id) || (own && tab.getAttribute('aria-controls') === own)) ??
      (tabs.length === panels.length ? tabs[index] : undefined) ??
      (id && /^[\w-]{1,100}$/.test(id) ? document.getElementById(id) : undefined)
    return label ? textWithin(label, 80).replace(/\s+/g, ' ').trim() || undefined : undefined
  })
}

/** The list of the tabs: beside the panels, or beside what holds them. */
function listBefore(around: Element): Element | undefined {
  let at: Element | null = around
  for (let level = 0; at && level < 2; level++, at = at.parentElement) {
    const found =
      [...at.children].find((child) => child.getAttribute('role') === 'tablist') ?? at.previousElementSibling
    if (found?.getAttribute('role') === 'tablist') return found
  }
  return undefined
}

function show(document: Document, panel: Element, name: string | undefined): void {
  for (const attribute of ['hidden', 'aria-hidden', 'style']) panel.removeAttribute(attribute)
  if (!name) return
  const [line, strong] = [document.createElement('p'), document.createElement('strong')]
  strong.append(document.createTextNode(name))
  line.append(strong)
  panel.prepend(line)
}
