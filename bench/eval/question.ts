import { parseJson } from '@csp/lib/json'
import { z } from 'zod'

/** A question with a short answer that can be looked for in a text. */
export interface Question {
  readonly id: string
  readonly question: string
  /** Ways to write the answer: one of them is enough. `YYYY-MM-DD` stands for each way to write that day. */
  readonly answers: readonly string[]
  /** What it is about: `software`, `law`, … */
  readonly kind: string
  /** When the answer held, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly asOf: string
  /** Pages that hold the answer, where the set names them. */
  readonly urls?: readonly string[] | undefined
  /** It is of a set that is on the web, with its answers. */
  readonly isPublished?: boolean | undefined
}

/**
 * Reads questions, one JSON object a line: `question` and `answer` or `answers`, and, if wanted, `id`, `kind`, `as_of`.
 * Throws for a line that is not one.
 */
export function readQuestions(text: string): readonly Question[] {
  return text.split('\n').flatMap((line, index) => {
    if (!line.trim()) return []
    const { data } = lineSchema.safeParse(parseJson(line))
    if (!data) throw new Error(`Line ${index + 1} is not a question with an answer.`)
    const { question, answer = [], answers = [], id = String(index + 1), kind = 'own', as_of: asOf = '' } = data
    return [{ id, question, answers: [answer, answers].flat(), kind, asOf }]
  })
}

const words = z.string().trim().min(1)

const lineSchema = z
  .object({
    id: z.union([words, z.number().transform(String)]).optional(),
    question: words,
    answer: z.union([words, z.array(words)]).optional(),
    answers: z.union([words, z.array(words)]).optional(),
    kind: words.optional(),
    as_of: words.optional(),
  })
  .refine(({ answer, answers }) => [answer, answers].flat().some(Boolean))

/**
 * So many of the questions, the kinds in turn, so that a few questions are of many kinds; always the same ones.
 */
export function pickQuestions(questions: readonly Question[], count: number): readonly Question[] {
  const byKind = Map.groupBy(questions, ({ kind }) => kind)
  const picked: Question[] = []
  for (let round = 0; picked.length < Math.min(count, questions.length); round++) {
    for (const group of byKind.values()) {
      const question = group[round]
      if (question && picked.length < count) picked.push(question)
    }
  }
  return picked
}

/** So many of some items at random; always the same ones for a seed. */
export function sampleOf<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const left = [...items]
  let state = seed
  // Mulberry32, and the first steps of the shuffle by Fisher and Yates.
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat()
}
