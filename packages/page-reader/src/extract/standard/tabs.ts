import { hides } from '../overlays.ts'
import type { Document, Element } from '../tree/nodes.ts'
import { lineWithin } from './within.ts'

/**
 * Shows all of a set of tabs with code, of which a browser shows one at a time, each under its name. Only where one of them
 * is shown: what a page hides as a whole stays hidden.
 */
export function standardiseTabs(document: Document): void {
  const panels = [...document.querySelectorAll('[role="tabpanel"]')].slice(0, maxPanels)
  if (panels.length < 2) return
  const labels = new Map(
    [...document.querySelectorAll('[id]')].reverse().map((each) => [each.getAttribute('id'), each] as const),
  )
  for (const [around, own] of Map.groupBy(panels, ({ parentElement }) => parentElement)) {
    if (!around || own.length < 2 || own.every(isHidden) || !own.some((panel) => panel.querySelector('pre'))) continue
    const names = namesOf(labels, around, own)
    for (const [index, panel] of own.entries()) show(document, panel, names[index])
  }
}

const maxPanels = 500

function isHidden(panel: Element): boolean {
  return (
    panel.hasAttribute('hidden') ||
    panel.getAttribute('aria-hidden') === 'true' ||
    hides(panel.getAttribute('style') ?? '')
  )
}

function namesOf(
  labels: ReadonlyMap<string | null, Element>,
  around: Element,
  panels: readonly Element[],
): readonly (string | undefined)[] {
  const list = listBefore(around)
  const tabs = [...(list?.querySelectorAll('[role="tab"]') ?? [])]
  return panels.map((panel, index) => {
    const id = panel.getAttribute('aria-labelledby')
    const own = panel.getAttribute('id')
    const label =
      tabs.find((tab) => (id && tab.getAttribute('id') === id) || (own && tab.getAttribute('aria-controls') === own)) ??
      (tabs.length === panels.length ? tabs[index] : undefined) ??
      (id && /^[\w-]{1,100}$/.test(id) ? labels.get(id) : undefined)
    return label ? lineWithin(label, 80) || undefined : undefined
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
