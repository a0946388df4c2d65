import type { HttpFailureCode, Issue } from './failure.ts'

export type RefusalCode = HttpFailureCode | 'invalid-request' | 'unauthorized'

/** Why a request is refused before its search. It never leaves `src/api`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly issues: readonly Issue[]

  constructor(code: RefusalCode, message: string, issues: readonly Issue[] = []) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** A refusal of what the caller sent; its message names every field that is wrong. */
export function invalid(...issues: readonly Issue[]): Refusal {
  return new Refusal('invalid-request', issues.map(describe).join(' '), issues)
}

function describe({ path, message }: Issue): string {
  return path.length > 0 ? `${fieldPath(path)}: ${message}.` : `${message}.`
}

/** A refusal of one value. */
export function refused(path: Issue['path'], message: string): Refusal {
  return invalid({ path, type: 'value_error', message })
}

/** A refusal for want of a field. */
export function missingField(path: Issue['path']): Refusal {
  return invalid({ path, type: 'missing', message: 'Field required' })
}

/** A refusal of a model that does not exist. */
export function unknownModel(name: string): Refusal {
  const message = `The model '${name}' does not exist. GET /v1/models lists those that do.`
  return new Refusal('unknown-model', message, [{ path: ['model'], type: 'value_error', message, input: name }])
}

/** Writes the path of a field as people do: `messages[0].content`. Empty for the request as a whole. */
export function fieldPath(path: Issue['path']): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text ? `${text}.${step}` : step
  }, '')
}
