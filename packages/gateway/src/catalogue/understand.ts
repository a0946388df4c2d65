import { codes } from './codes.ts'
import { type ErrorWords, errorWords } from './error-within.ts'
import { refusals } from './refusals.ts'
import { compile, type Holes, type Line, type Meaning, plainWords, type Template } from './template.ts'
import { fragments, sentences } from './wordings.ts'

/** The error of an upstream: a reply that is none, or an error in the middle of a stream. */
export interface UpstreamFailure {
  readonly status: number
  /** The text of the reply, or the error in a piece of a stream. */
  readonly body: unknown
  readonly retryAfterSeconds?: number | undefined
}

/** An error that the catalogue knows. */
export interface Understood {
  readonly meaning: Meaning
  /** What is refused. */
  readonly feature?: string | undefined
  readonly holes: Holes
  /** The line that says so; absent for a code. */
  readonly line?: Line | undefined
}

/** The meaning of an error; `undefined` where no line and no code has one. Sentences count before codes, parts of sentences last. */
export function understand(
  failure: UpstreamFailure,
  words: ErrorWords = errorWords(failure.body),
): Understood | undefined {
  const { message, param, causes, code, type } = words
  const text = plainWords([param === undefined ? message : `${param}: ${message}`, causes ?? ''].join(' '))
  const told = first(whole, text, failure) ?? ofCode(failure, code, type) ?? first(parts, text, failure)
  if (!told) return undefined
  const { prompt, context } = words
  return {
    ...told,
    holes: { ...(prompt !== undefined && { prompt }), ...(context !== undefined && { context }), ...told.holes },
  }
}

/** The status that belongs to a code in a reply of status 200. */
export function statusOfCode(code: string | undefined): number | undefined {
  const means = code === undefined ? undefined : meanings.get(code)
  return typeof means === 'number' ? means : means && statusOf[means]
}

/** The status of an error that came with none. */
const statusOf: Readonly<Record<Meaning, number>> = {
  rate: 429,
  full: 400,
  limit: 400,
  quota: 402,
  busy: 529,
  refuses: 400,
  final: 400,
}

const whole = [...sentences, ...refusals].map(compile)
const parts = fragments.map(compile)
const meanings: ReadonlyMap<string, Meaning | number> = new Map(codes.map(([code, means]) => [code, means]))

function first(templates: readonly Template[], text: string, failure: UpstreamFailure): Understood | undefined {
  for (const { line, find } of templates) {
    const holes = find(text)
    if (!holes) continue
    const [name = '', feature] = line[0].split(' ')
    const meaning = fitting(name as Meaning, failure)
    if (meaning) return { meaning, feature: feature?.replace('{field}', holes.field ?? ''), holes, line }
  }
  return undefined
}

function ofCode(failure: UpstreamFailure, ...names: readonly (string | undefined)[]): Understood | undefined {
  for (const name of names) {
    const means = name === undefined ? undefined : meanings.get(name)
    const meaning = typeof means === 'string' ? fitting(means, failure) : undefined
    if (meaning) return { meaning, holes: {} }
  }
  return undefined
}

/** The meaning that words can have with a status; `undefined` for none: "context window" behind 401 is no full context. */
function fitting(meaning: Meaning, { status, retryAfterSeconds }: UpstreamFailure): Meaning | undefined {
  switch (meaning) {
    case 'full':
      return notAboutSize.includes(status) ? undefined : meaning
    case 'limit':
      return aboutValue.includes(status) ? meaning : undefined
    case 'refuses':
      return notAboutContent.includes(status) ? undefined : meaning
    case 'quota':
      return retryAfterSeconds !== undefined && retryAfterSeconds <= maxLimitSeconds ? 'rate' : meaning
    default:
      return meaning
  }
}

const notAboutSize: readonly number[] = [401, 402, 403, 408, 429, 503, 529]
const aboutValue: readonly number[] = [400, 422, 500, 502]
const notAboutContent: readonly number[] = [401, 402, 408, 413, 503, 529]
/** What may be asked again so soon is not spent. */
const maxLimitSeconds = 300
