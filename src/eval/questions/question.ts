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

/** A line of a file of questions that is not one, with what is wrong. */
export class QuestionError extends Error {}

/** The most questions in one set. */
export const maxQuestions = 10_000

/**
 * Reads questions, one JSON object a line: `question` and `answer` or `answers`, and, if wanted, `id`, `kind`, `as_of`.
 * Throws a `QuestionError` that names the line.
 */
export function readQuestions(text: string): readonly Question[] {
  const questions = text.split('\n').flatMap((line, index) => (line.trim() ? [readLine(line, index + 1)] : []))
  if (questions.length === 0) throw new QuestionError('It has no questions.')
  if (questions.length > maxQuestions) throw new QuestionError(`It has more than ${maxQuestions} questions.`)
  const ids = new Set<string>()
  for (const { id } of questions) {
    if (ids.has(id)) throw new QuestionError(`Two questions have the id ${JSON.stringify(id)}.`)
    ids.add(id)
  }
  return questions
}

function readLine(line: string, number: number): Question {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new QuestionError(`Line ${number} is not JSON.`)
  }
  const { data, error } = lineSchema.safeParse(value)
  if (!data) {
    const [issue] = error.issues
    const field = issue?.path.join('.') || 'the line'
    throw new QuestionError(`Line ${number}: ${field}: ${issue?.message ?? 'wrong'}`)
  }
  const { question, answer = [], answers = [], id = String(number), kind = 'own', as_of: asOf = '' } = data
  const all = [answer, answers].flat()
  if (all.length === 0) throw new QuestionError(`Line ${number}: answer: it is missing`)
  return { id, question, answers: all, kind, asOf }
}

const words = z.string().trim().min(1, 'it is empty').max(2000, 'it is too long')

const lineSchema = z.object({
  id: z.union([words, z.number().transform(String)]).optional(),
  question: words,
  answer: z.union([words, z.array(words)]).optional(),
  answers: z.union([words, z.array(words)]).optional(),
  kind: words.optional(),
  as_of: words.optional(),
})

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
