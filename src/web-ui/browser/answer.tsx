// An answer, wherever it comes from: one of this tab, an earlier question, a job, a report.

import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { CiteWorld } from './cite.tsx'
import type { ReadPage } from './exchange.ts'
import { type Block, type CiteToken, citesIn, MarkdownText, wordsOf } from './markdown.ts'
import { Prose } from './prose.tsx'
import { Sources } from './sources.tsx'
import { Strip } from './strip.tsx'
import type { Source } from './verdict.ts'
import { evidenceAt, type SentenceEvidence } from './verdict.ts'
import { isWebAddress } from './words.ts'

export interface AnswerProps {
  readonly question: string
  /** How it was made, in a few words each. */
  readonly facts: ComponentChildren
  readonly text: string
  readonly isWhole: boolean
  /** It was stopped, or broke off. */
  readonly isCut?: boolean
  readonly sources: readonly Source[]
  readonly evidence: readonly SentenceEvidence[]
  /** The pages that are read by now, while others still are. */
  readonly readSoFar?: readonly ReadPage[] | undefined
  /** Between the question and the text: what is done for it. */
  readonly above?: ComponentChildren
  /** Below the text. */
  readonly below?: ComponentChildren
  readonly level?: 1 | 2
}

const noEvidence: ReadonlyMap<CiteToken, SentenceEvidence> = new Map()

export function Answer({
  question,
  facts,
  text,
  isWhole,
  isCut = false,
  sources,
  evidence,
  readSoFar,
  above,
  below,
  level = 1,
}: AnswerProps) {
  const reader = useMemo(() => new MarkdownText(), [])
  const blocks = useMemo(() => reader.blocks(text, isWhole && !isCut), [reader, text, isWhole, isCut])
  const world = useMemo((): CiteWorld => worldOf(sources, evidence), [sources, evidence])
  const cited = useMemo(() => new Set(citesIn(blocks).map(({ token }) => token.number)), [blocks])
  const headings = isWhole ? headingsIn(blocks) : []
  const article = useRef<HTMLElement>(null)
  const Title = level === 1 ? 'h1' : 'h2'
  return (
    <article class="thread" aria-label={question} ref={article}>
      <Title class="asked">{question}</Title>
      {(sources.length > 0 || headings.length > 2) && (
        <aside class="src" aria-label="Sources">
          {headings.length > 2 && <Contents headings={headings} article={article} />}
          <Sources sources={sources} cited={cited} evidence={evidence} isWhole={isWhole} readSoFar={readSoFar} />
        </aside>
      )}
      <div class="above">
        {facts && <div class="facts">{facts}</div>}
        {isWhole && evidence.length > 0 && <Strip evidence={evidence} article={article} />}
        {above}
      </div>
      {text && <Prose blocks={blocks} isWhole={isWhole} world={world} />}
      {below}
    </article>
  )
}

function worldOf(sources: readonly Source[], evidence: readonly SentenceEvidence[]): CiteWorld {
  return {
    sources,
    addresses: new Set(sources.map(({ url }) => url).filter(isWebAddress)),
    said: noEvidence,
    evidenceOf(cites) {
      return evidenceAt(cites, evidence)
    },
  }
}

interface Heading {
  readonly key: number
  readonly text: string
}

function headingsIn(blocks: readonly Block[]): readonly Heading[] {
  return blocks.flatMap(({ key, token }) =>
    token.type === 'heading' &&
    (token as { depth?: number }).depth !== undefined &&
    Number((token as { depth?: number }).depth) < 3
      ? [{ key, text: wordsOf(token).trim() }]
      : [],
  )
}

function Contents({ headings, article }: { headings: readonly Heading[]; article: { current: HTMLElement | null } }) {
  const show = (place: number) => {
    const heading = article.current?.querySelectorAll<HTMLElement>('.prose > h3')[place]
    heading?.scrollIntoView({ block: 'start' })
    heading?.focus({ preventScroll: true })
  }
  return (
    <nav class="toc" aria-label="Contents">
      <h2>Contents</h2>
      {headings.map(({ key, text }, place) => (
        <button type="button" key={key} onClick={() => show(place)}>
          {text}
        </button>
      ))}
    </nav>
  )
}
