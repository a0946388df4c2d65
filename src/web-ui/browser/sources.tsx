// The pages of an answer: those that it cites, and the rest, folded.

import { useState } from 'preact/hooks'
import type { ReadPage } from './exchange.ts'
import { Icon } from './icons.tsx'
import { WebLink } from './parts.tsx'
import type { SentenceEvidence, Source } from './verdict.ts'
import { count, day, hostOf } from './words.ts'

interface Props {
  readonly sources: readonly Source[]
  readonly cited: ReadonlySet<number>
  readonly evidence: readonly SentenceEvidence[]
  readonly isWhole: boolean
  readonly readSoFar?: readonly ReadPage[] | undefined
}

/** How many stand there at once: a report has many. */
const maxShown = 12

export function Sources({ sources, cited, evidence, isWhole, readSoFar }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (sources.length === 0) return null
  const all = sources.map((source, index) => ({ source, number: index + 1 }))
  const chosen = all.filter(({ number }) => cited.has(number))
  const first = (chosen.length > 0 ? chosen : all).slice(0, maxShown)
  const rest = all.filter((one) => !first.includes(one))
  const title = !isWhole ? 'Sources so far' : chosen.length > 0 ? 'Sources cited' : 'Pages found'
  const more =
    chosen.length > 0 && chosen.length === first.length
      ? `${count(rest.length, 'more result')}, not cited`
      : `${rest.length} more`
  const cards = (shown: typeof all) => (
    <ol class="scards">
      {shown.map(({ source, number }) => (
        <li key={number}>
          <SourceCard
            source={source}
            number={number}
            isCited={cited.has(number)}
            evidence={evidence}
            reading={readSoFar && (readSoFar.some(({ url }) => url === source.url) ? 'Read' : 'Being read')}
          />
        </li>
      ))}
    </ol>
  )
  return (
    <>
      <h2>
        {title}
        {isWhole && chosen.length > maxShown && <span>{chosen.length}</span>}
      </h2>
      {cards(first)}
      {rest.length > 0 && (
        <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="down" class={isOpen ? 'turned' : ''} />
          {more}
        </button>
      )}
      {isOpen && cards(rest)}
    </>
  )
}

interface CardProps {
  readonly source: Source
  readonly number: number
  readonly isCited: boolean
  readonly evidence: readonly SentenceEvidence[]
  readonly reading: string | undefined
}

function SourceCard({ source, number, isCited, evidence, reading }: CardProps) {
  const { title, url, date } = source
  const own = evidence.filter(({ sources }) => sources.includes(number))
  const supported = own.filter(({ verdict }) => verdict === 'found' || verdict === 'partly')
  const partly = supported.length > 0 && supported.every(({ verdict }) => verdict === 'partly') ? ', partly' : ''
  return (
    <WebLink url={url} class={isCited ? 'scard' : 'scard wait'}>
      <span class="n">{number}</span>
      <span class="t">{title || hostOf(url)}</span>
      <span class="m">{[hostOf(url), day(date, true)].filter(Boolean).join(' · ')}</span>
      {reading && <span class="m">{reading}</span>}
      {supported.length > 0 && (
        <span class="m">
          Supports {count(supported.length, 'sentence')}
          {partly}
        </span>
      )}
    </WebLink>
  )
}
