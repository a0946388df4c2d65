import type { IconName } from '../icons.tsx'
import { type Kind, Tag } from '../parts.tsx'
import type { ReceiptRow } from '../recent.ts'
import { ago, strategyName } from '../words.ts'

const verdictTags: readonly (readonly [name: string, words: string, kind: Kind | undefined, icon: IconName])[] = [
  ['found', 'found', 'good', 'check'],
  ['partly', 'partly', 'look', 'partly'],
  ['not-found', 'not found', 'bad', 'question'],
  ['not-read', 'not read', undefined, 'circle'],
]

/** An earlier question, which opens as it was answered. */
export function QuestionRow({ row: { id, question, time, strategy, verdicts } }: { row: ReceiptRow }) {
  const tags = verdictTags.filter(([name]) => verdicts[name])
  return (
    <a class="qrow" href={`#receipt=${id}`}>
      <span class="t">{question}</span>
      <span class="m">
        {[ago(time), strategyName(strategy), ...(tags.length > 0 ? [] : ['not compared'])].join(' · ')}
      </span>
      <span class="e">
        {tags.map(([name, words, kind, icon]) => (
          <Tag key={name} kind={kind} icon={icon}>
            {verdicts[name]} {words}
          </Tag>
        ))}
      </span>
    </a>
  )
}
