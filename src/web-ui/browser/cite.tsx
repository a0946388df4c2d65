// The marker of a source, and what it knows.

import type { ComponentChildren } from 'preact'
import { closeSoon, type OpenCard, openCard, shownCard, stayOpen } from './card-state.ts'
import type { CiteToken, PlacedCite } from './markdown.ts'
import { useStore } from './store.ts'
import { type SentenceEvidence, type Source, saidAt } from './verdict.ts'
import { isWebAddress } from './words.ts'

/** What the markers of an answer know. */
export interface CiteWorld {
  readonly sources: readonly Source[]
  /** The addresses of the sources: no other is linked. */
  readonly addresses: ReadonlySet<string>
  readonly evidenceOf: (cites: readonly PlacedCite[]) => ReadonlyMap<CiteToken, SentenceEvidence>
  readonly said: ReadonlyMap<CiteToken, SentenceEvidence>
}

/** The class of the words that a marker stands for; `undefined` where nothing is said of them. */
export function claimClass(token: CiteToken, { said }: CiteWorld): string | undefined {
  const evidence = said.get(token)
  const { mark } = evidence ? saidAt(evidence, token.number) : { mark: undefined }
  if (mark === 'partly' || mark === 'not') return `claim ${mark}`
  return mark ? 'claim' : undefined
}

/** The words that a marker stands for, which are lit while its card is open. */
export function Claim({ token, name, children }: { token: CiteToken; name: string; children: ComponentChildren }) {
  const isOpen = useStore(shownCard)?.token === token
  return <span class={isOpen ? `${name} on` : name}>{children}</span>
}

const endings = { found: '', partly: '', not: '?', unread: '' } as const

export function Cite({ token, world }: { token: CiteToken; world: CiteWorld }) {
  const { number } = token
  const source = world.sources[number - 1]
  const open = useStore(shownCard)
  if (!source || !isWebAddress(source.url)) return <>{`[${number}]`}</>
  const evidence = world.said.get(token)
  const said = evidence && saidAt(evidence, number)
  const mark = said?.mark
  const isOpen = open?.token === token
  const card = (marker: HTMLElement): OpenCard => ({ token, number, source, evidence, said, marker })
  const label = `Source ${number}: ${source.title}${said ? `. ${said.text}${said.quote ? `: ${said.quote}` : ''}` : ''}`
  const name = ['cite', mark === 'found' ? '' : mark, isOpen ? 'on' : ''].filter(Boolean).join(' ')
  return (
    <>
      {' '}
      <a
        class={name}
        href={source.url}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={(event) => {
          // With a key that opens a tab it is a link as any.
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          openCard(card(event.currentTarget), true)
        }}
        onMouseEnter={({ currentTarget }) => openCard(card(currentTarget), false)}
        onMouseLeave={closeSoon}
        onFocus={stayOpen}
      >
        <span>[</span>
        {number}
        <span>]</span>
        {mark ? endings[mark] : ''}
      </a>
    </>
  )
}
