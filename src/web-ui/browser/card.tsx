// What a page says of a sentence: in a card beside its marker, on a telephone in a sheet at the bottom.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { closeCard, closeSoon, shownCard, stayOpen } from './card-state.ts'
import { Icon } from './icons.tsx'
import { Button, Tag } from './parts.tsx'
import { useStore } from './store.ts'
import { type Mark, sharedPart } from './verdict.ts'
import { day, hostOf } from './words.ts'

const tags = {
  found: ['good', 'check'],
  partly: ['look', 'partly'],
  not: ['bad', 'question'],
  unread: [undefined, 'circle'],
} as const satisfies Record<Mark, unknown>

/** Between the card and the edge of the window. */
const margin = 16

export function EvidenceCard() {
  const open = useStore(shownCard)
  const card = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<{ left: number; top: number }>()

  useLayoutEffect(() => {
    if (!open || !card.current) return
    const { offsetWidth: width, offsetHeight: height } = card.current
    const at = open.marker.getBoundingClientRect()
    const left = Math.max(margin, Math.min(at.left - 24, document.documentElement.clientWidth - width - margin))
    const below = at.bottom + 8
    // Above where there is no room below.
    const top = below + height > innerHeight - margin && at.top - height - 8 > 0 ? at.top - height - 8 : below
    setPlace({ left, top: top + scrollY })
    if (!open.isPinned) return
    card.current.focus({ preventScroll: true })
    // The sheet of a telephone would cover the sentence.
    const sheetTop = card.current.getBoundingClientRect().top
    if (getComputedStyle(card.current).position === 'fixed' && at.bottom > sheetTop - margin)
      scrollBy({ top: at.bottom - sheetTop + 4 * margin })
  }, [open])

  useEffect(() => {
    if (!open?.isPinned) return
    const closeBeside = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest('.ecard, .cite')) return
      shownCard.set(undefined)
    }
    document.addEventListener('pointerdown', closeBeside)
    return () => document.removeEventListener('pointerdown', closeBeside)
  }, [open])

  if (!open) return null
  const { number, source, said, evidence } = open
  const facts = [hostOf(source.url), day(source.date)].filter(Boolean).join(' · ')
  const quote = said?.quote ?? (said ? undefined : (source.snippet ?? undefined))
  const [kind, icon] = said ? tags[said.mark] : [undefined, 'circle' as const]
  const isLong = (said?.text.length ?? 0) > 40
  return (
    <div
      class={`ecard ${said?.mark ?? ''}`.trim()}
      role="dialog"
      aria-label={`Source ${number}`}
      tabIndex={-1}
      ref={card}
      style={place && { left: `${place.left}px`, top: `${place.top}px` }}
      onMouseEnter={stayOpen}
      onMouseLeave={closeSoon}
    >
      <div class="head">
        <span class="n">{number}</span>
        <span class="t">{source.title || hostOf(source.url)}</span>
        <span class="m">{facts}</span>
      </div>
      {isLong && <p class="doubt">{said?.text}</p>}
      {quote && <Quote text={quote} sentence={evidence?.sentence ?? ''} />}
      {said?.unseen && <p class="unseen">{said.unseen}</p>}
      <div class="tail">
        <Tag kind={kind} icon={icon}>
          {said ? (isLong ? shortOf(said.mark) : said.text) : 'Not compared'}
        </Tag>
        <Button size="sm" kind="ghost" onClick={closeCard} class="close">
          Close
        </Button>
        <a class="btn sm" href={source.url} target="_blank" rel="noopener noreferrer">
          Open page
          <Icon name="open" />
        </a>
      </div>
    </div>
  )
}

const shortOf = (mark: Mark) =>
  ({ found: 'Found', partly: 'Look at it', not: 'Not found', unread: 'Not compared' })[mark]

function Quote({ text, sentence }: { text: string; sentence: string }) {
  const [before, shared, after] = sharedPart(text.trim(), sentence)
  return (
    <blockquote>
      “{before}
      {shared && <mark>{shared}</mark>}
      {after}”
    </blockquote>
  )
}
