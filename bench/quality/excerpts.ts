import { choosePassages } from '@csp/passages/passages'
import { summarise } from '../statistics.ts'
import { excerptSets, type Question } from './excerpt-sets.ts'
import { halfOf, halves, mean, withInterval } from './halves.ts'
import type { Ranker } from './wink.ts'

/** Prints how often the first passage, and one of six, has what answers a question. */
export function measureExcerpts(folder: string, print: (line: string) => void, wink: Ranker | undefined): void {
  print('\n| Excerpts | reader | half | questions | in the first | in six | ms a page, median | p90 |')
  print('|---|---|---|---:|---:|---:|---:|---:|')
  const csp: Ranker = (page, query) => choosePassages(page.join('\n\n'), query)
  for (const [name, questions] of excerptSets(folder)) {
    for (const [reader, rank] of Object.entries({ csp, ...(wink && { wink }) })) {
      if (reader === 'wink' && !english.test(name)) continue
      const measured = questions.map((question) => measureOne(question, rank))
      for (const half of halves) {
        const own = measured.filter((one) => one.half === half)
        const { median, p90 } = summarise(own.map(({ ms }) => ms))
        const [first, six] = [1, 6].map((count) =>
          withInterval(own, (some) => mean(some.map(({ place }) => (place < count ? 1 : 0)))),
        )
        print(
          `| ${name} | ${reader} | ${half} | ${own.length} | ${first} | ${six} | ${median.toFixed(2)} | ${p90.toFixed(2)} |`,
        )
      }
    }
  }
}

const english = /SQuAD 1|QA (?:dev|test)|XQuAD en/

function measureOne(question: Question, rank: Ranker) {
  const startedAt = performance.now()
  const passages = rank(question.page, question.query)
  const ms = performance.now() - startedAt
  const place = passages.findIndex((passage) => answers(passage, question))
  return { half: halfOf(question.pageName), ms, place: place < 0 ? Number.POSITIVE_INFINITY : place }
}

/** Whether a passage has the short answer, from its paragraph; or half of a sentence of the evidence. */
function answers(passage: string, { evidence, within }: Question): boolean {
  const text = lettersOf(passage)
  if (within === undefined) return evidence.some((sentence) => shareOf(sentence, text) >= 0.5)
  const paragraph = lettersOf(within)
  return evidence.some((answer) => {
    const letters = lettersOf(answer)
    for (let at = text.indexOf(letters); letters && at >= 0; at = text.indexOf(letters, at + 1)) {
      const start = Math.max(0, Math.min(at - 10, text.length - letters.length - 20))
      if (paragraph.includes(text.slice(start, start + letters.length + 20))) return true
    }
    return false
  })
}

/** How much of a sentence a passage has, in runs of three words. */
function shareOf(sentence: string, passage: string): number {
  const words = sentence.split(/\s+/).map(lettersOf).filter(Boolean)
  const runs = words.slice(2).map((word, index) => `${words[index]}${words[index + 1]}${word}`)
  if (runs.length === 0) return passage.includes(lettersOf(sentence)) ? 1 : 0
  return runs.filter((run) => passage.includes(run)).length / runs.length
}

/** Markup and quotation may differ. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
}
