// What came of the check of an answer, in one row.

import { useState } from 'preact/hooks'
import { Tag } from './parts.tsx'
import {
  countsOf,
  isDoubtful,
  judgedInWords,
  type SentenceEvidence,
  verdictIcons,
  verdictKinds,
  verdictNames,
} from './verdict.ts'
import { count } from './words.ts'

interface Props {
  readonly evidence: readonly SentenceEvidence[]
  readonly article: { readonly current: HTMLElement | null }
}

/** How many bars the meter has at most. */
const bars = 5

export function Strip({ evidence, article }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [place, setPlace] = useState(0)
  const counts = countsOf(evidence)
  const doubtful = evidence.filter(isDoubtful).length
  const showNext = () => {
    const markers = [...(article.current?.querySelectorAll<HTMLElement>('a.cite.not, a.cite.partly') ?? [])]
    const marker = markers[place % Math.max(1, markers.length)]
    setPlace(place + 1)
    marker?.scrollIntoView({ block: 'center' })
    marker?.click()
  }
  return (
    <section class="strip" aria-label="What was found on the cited pages">
      <Meter counts={counts} all={evidence.length} />
      <span>
        {count(evidence.length, 'sentence')}
        {Object.keys(counts).length < 3 && ' compared'}
      </span>
      {verdictNames.map((name) =>
        counts[name] ? (
          <Tag key={name} kind={verdictKinds[name]} icon={verdictIcons[name]}>
            {counts[name]} {name.replace('-', ' ')}
          </Tag>
        ) : null,
      )}
      {doubtful > 1 ? (
        <button type="button" class="plain how" onClick={showNext}>
          Show {doubtful} to check
        </button>
      ) : (
        <button type="button" class="plain how" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          How this works
        </button>
      )}
      {isOpen && (
        <p class="explained">
          csp compares the words, names, numbers and dates of each sentence with the pages that it cites. “Found” means
          that the words are there, not that the page says it. {judgedInWords(evidence)}
        </p>
      )}
    </section>
  )
}

function Meter({ counts, all }: { counts: Readonly<Record<string, number>>; all: number }) {
  const length = Math.min(bars, all)
  const classes = verdictNames.flatMap((name) => {
    const share = Math.round(((counts[name] ?? 0) / all) * length)
    return Array.from({ length: counts[name] ? Math.max(1, share) : 0 }, () => name)
  })
  return (
    <span class="meter" aria-hidden="true">
      {classes.slice(-length).map((name, index) => (
        <i key={index} class={{ found: '', partly: 'p', 'not-found': 'x', 'not-read': 'u' }[name]} />
      ))}
    </span>
  )
}
