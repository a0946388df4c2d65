import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Contender, nameOf } from '../../../eval/contender.ts'
import type { Trial } from '../../../eval/evaluate.ts'
import type { Question } from '../../../eval/questions/question.ts'
import { parseJson } from '../../../lib/json.ts'
import { UsageError } from '../../config/usage-error.ts'

/** The trials of an evaluation in a file of JSON lines, so that another run continues where one ended. */
export class TrialFile {
  readonly #path: string
  readonly #known = new Map<string, Trial>()

  /** `run`: what makes two runs the same. Throws a `UsageError` where the file is of another one, or cannot be used. */
  constructor(path: string, run: Readonly<Record<string, string>>) {
    this.#path = path
    const head = JSON.stringify({ csp: 'eval', ...run })
    const [first = '', ...lines] = this.#read().split('\n')
    if (first !== '' && first !== head)
      throw new UsageError(`--out ${path} belongs to another evaluation: ${first.slice(0, 200)}`)
    for (const line of lines) {
      const trial = trialSchema.safeParse(parseJson(line)).data
      // csp wrote it, and nothing else follows that head.
      if (trial) this.#known.set(keyOf(trial.question, trial), trial as unknown as Trial)
    }
    if (first === '') this.#append(head)
    // The last line is torn where csp was killed.
    else if (lines.at(-1) !== '') this.#append('')
  }

  has({ id }: Question, contender: Contender): boolean {
    return this.#known.has(keyOf(id, contender))
  }

  /** The trials of these questions and contenders that the file had at first. */
  known(questions: readonly Question[], contenders: readonly Contender[]): Trial[] {
    return questions.flatMap(({ id }) => contenders.flatMap((each) => this.#known.get(keyOf(id, each)) ?? []))
  }

  add(trial: Trial): void {
    this.#append(JSON.stringify(trial))
  }

  #read(): string {
    try {
      return existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : ''
    } catch {
      throw new UsageError(`--out ${this.#path} cannot be read.`)
    }
  }

  #append(line: string): void {
    try {
      appendFileSync(this.#path, `${line}\n`, { mode: 0o600 })
    } catch {
      throw new UsageError(`--out ${this.#path} cannot be written.`)
    }
  }
}

function keyOf(question: string, contender: Pick<Contender, 'backend' | 'strategy'>): string {
  return JSON.stringify([question, nameOf(contender)])
}

const trialSchema = z.looseObject({
  question: z.string(),
  backend: z.string(),
  strategy: z.enum(['results', 'fast', 'standard', 'deep']),
  ms: z.number(),
})
