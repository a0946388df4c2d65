// Which card of evidence is open: by a click until it is closed, by the mouse while it stays there.

import type { CiteToken } from './markdown.ts'
import { createStore } from './store.ts'
import type { Said, SentenceEvidence, Source } from './verdict.ts'

export interface OpenCard {
  readonly token: CiteToken
  readonly number: number
  readonly source: Source
  readonly evidence: SentenceEvidence | undefined
  readonly said: Said | undefined
  readonly marker: HTMLElement
  /** It takes the focus, and stays until it is closed. */
  readonly isPinned?: boolean
}

export const shownCard = createStore<OpenCard | undefined>(undefined)

let waiting: ReturnType<typeof setTimeout> | undefined

/** A device that cannot hover sends the events of a mouse with a tap. */
function canHover(): boolean {
  return matchMedia('(hover: hover)').matches
}

export function openCard(card: OpenCard, isPinned: boolean): void {
  if (!isPinned && (!canHover() || shownCard.get()?.isPinned)) return
  clearTimeout(waiting)
  const open = () => shownCard.set({ ...card, isPinned })
  if (isPinned) open()
  // Not for a mouse that only passes.
  else waiting = setTimeout(open, 120)
}

export function stayOpen(): void {
  clearTimeout(waiting)
}

export function closeSoon(): void {
  clearTimeout(waiting)
  // Long enough to reach the card with the mouse.
  waiting = setTimeout(() => {
    if (!shownCard.get()?.isPinned) shownCard.set(undefined)
  }, 200)
}

/** Returns whether one was open. The focus goes back to its marker. */
export function closeCard(): boolean {
  clearTimeout(waiting)
  const open = shownCard.get()
  if (!open) return false
  shownCard.set(undefined)
  if (open.isPinned) open.marker.focus()
  return true
}
