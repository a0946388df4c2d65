import type { Document, Element } from '../tree/nodes.ts'
import { classNames, textWithin } from './within.ts'

/** On an element that is the text of a note. */
export const noteAttribute = 'data-note-text'

/** Marks the elements of a page that are the texts of its notes, where it has marks that may lead to them. */
export function markNotes(document: Document): void {
  const marks = [...document.querySelectorAll('sup, a.footnote, a[role="doc-noteref"]')]
  if (marks.length === 0) return
  const ids = idsOf(marks)
  if (ids.size > 0)
    for (const element of document.querySelectorAll('[id], a[name]'))
      if (ids.has(element.getAttribute('id') ?? '') || ids.has(element.getAttribute('name') ?? '')) mark(element)
  // What leads back to its mark is a note as well.
  for (const link of document.querySelectorAll(backLinks)) mark(link)
  for (const item of document.querySelectorAll('ol > li'))
    if (isInNotes(item, marks)) item.setAttribute(noteAttribute, '')
}

function idsOf(marks: readonly Element[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const each of marks.slice(0, maxNotes)) {
    const link = each.localName === 'a' ? each : (each.querySelector('a') ?? each.parentElement)
    const href = link?.localName === 'a' ? link.getAttribute('href') : undefined
    if (href?.startsWith('#') && href.length <= maxId) ids.add(decoded(href.slice(1)))
  }
  return ids
}

const backLinks =
  'a[href*="#_ftnref"], a[href^="#fnref"], a[role="doc-backlink"], a[data-footnote-backref], a.footnote-back'
const maxId = 200
const maxNotes = 2000

/** A link or a heading begins its note; the text is around the one, and behind the other. */
function mark(element: Element): void {
  let note: Element | null = element
  for (let level = 0; note && level < maxLevels && !notes.has(note.localName); level++) {
    if (/^h[1-6]$/.test(note.localName)) {
      note.setAttribute(noteAttribute, '')
      note.nextElementSibling?.setAttribute(noteAttribute, '')
      return
    }
    note = note.parentElement
  }
  if (note && notes.has(note.localName)) note.setAttribute(noteAttribute, '')
}

const notes: ReadonlySet<string> = new Set(['li', 'p', 'div', 'dd', 'dt', 'td', 'section', 'aside'])
const maxLevels = 4

/** An item of a list that is named after notes, or that stands at the edge with the number of a mark. */
function isInNotes(item: Element, marks: readonly Element[]): boolean {
  const list = item.parentElement
  let around: Element | null = list
  for (let level = 0; around && level < maxLevels; level++, around = around.parentElement) {
    if (
      classNames(around).some((name) => /footnotes|endnotes/i.test(name)) ||
      around.getAttribute('role') === 'doc-endnotes'
    )
      return true
    const start = list?.getAttribute('start')
    if (around.localName === 'aside' && start && list?.children.length === 1)
      return marks.slice(0, maxNotes).some((each) => textWithin(each, 10).trim() === start)
  }
  return false
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
