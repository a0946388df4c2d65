import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readLabelledClaims } from '../../../eval/labelled-claims.ts'
import { facts } from '../../../eval/questions/facts.ts'
import { loadFreshQuestions } from '../../../eval/questions/fresh.ts'
import { readPublished } from '../../../eval/questions/published.ts'
import {
  pickQuestions,
  type Question,
  QuestionError,
  readQuestions,
  sampleOf,
} from '../../../eval/questions/question.ts'
import { ApiClient } from '../../../executor/backends/http/api-client.ts'
import { parseJson } from '../../../lib/json.ts'
import { UsageError } from '../../config/usage-error.ts'
import { version } from '../../version.ts'

/** Which questions are asked: the kinds in turn, or a sample. */
export interface QuestionChoice {
  readonly set?: string | undefined
  readonly count?: number | undefined
  readonly sample?: number | undefined
  readonly seed?: number | undefined
}

/** The claims of a file in this folder; `undefined` if the set has questions. Throws a `UsageError`. */
export function claimsOf({ set, count, sample, seed = 1 }: QuestionChoice, folder: string) {
  if (set === undefined || set === 'facts' || set === 'fresh' || !existsSync(resolve(folder, set))) return undefined
  try {
    const all = readLabelledClaims(readFileSync(resolve(folder, set), 'utf8'))
    return sample === undefined ? all?.slice(0, count) : all && sampleOf(all, sample, seed)
  } catch (error) {
    if (error instanceof QuestionError) throw new UsageError(`${set}: ${error.message}`)
    return undefined
  }
}

/** The questions of a set: built in, or of a file in this folder. Throws a `UsageError`. */
export async function questionsOf(
  { set = 'facts', count = 50, sample, seed = 1 }: QuestionChoice,
  folder: string,
  signal: AbortSignal,
): Promise<readonly Question[]> {
  const all = await load(set, folder, signal)
  return sample === undefined ? pickQuestions(all, count) : sampleOf(all, sample, seed)
}

async function load(set: string, folder: string, signal: AbortSignal): Promise<readonly Question[]> {
  if (set === 'facts') return facts
  if (set === 'fresh') {
    const client = new ApiClient('endoflife.date', version, { requestsPerSecond: 20 })
    const ask = async (url: string) => parseJson((await client.ask({ url: new URL(url) }, signal)).text)
    return await loadFreshQuestions(ask, new Date().toISOString().slice(0, 10))
  }
  try {
    const text = readFileSync(resolve(folder, set), 'utf8')
    return text.trimStart().startsWith('{') ? readQuestions(text) : readPublished(text)
  } catch (error) {
    if (error instanceof QuestionError) throw new UsageError(`${set}: ${error.message}`)
    throw new UsageError(`--set must be facts, fresh or a file of questions; ${JSON.stringify(set)} cannot be read.`)
  }
}
