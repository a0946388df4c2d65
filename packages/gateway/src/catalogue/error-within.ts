import { isObject, parseJson } from '@csp/lib/json'

/** What an error says, in whichever form an upstream has it. */
export interface ErrorWords {
  readonly message: string
  /** The parameter that it names as the cause. */
  readonly param?: string | undefined
  readonly code?: string | undefined
  readonly type?: string | undefined
  /** All its causes, where there are several, with what was sent there. */
  readonly causes?: string | undefined
  /** The tokens of the prompt and of the context, where they have fields of their own. */
  readonly prompt?: number | undefined
  readonly context?: number | undefined
}

/**
 * Reads the error of a reply that failed: OpenAI's envelope, OpenRouter's with another within, FastAPI's, those of Chinese
 * providers, a string, or plain text.
 */
export function errorWords(body: unknown, depth = 0): ErrorWords {
  const value = typeof body === 'string' ? (parseJson(body) ?? body) : body
  if (typeof value === 'string') return { message: value }
  const [first] = Array.isArray(value) ? value : [value]
  if (!isObject(first) || depth > maxDepth) return { message: '' }
  const { error, detail, base_resp: base, param, metadata } = first
  if (error != null && error !== false) return withCode(errorWords(error, depth + 1), first)
  if (Array.isArray(detail)) return fromIssues(detail)
  if (isObject(base)) return { message: word(base['status_msg']) ?? '', code: `status_code:${base['status_code']}` }
  const own: ErrorWords = {
    message: word(first['message']) ?? word(detail) ?? word(first['msg']) ?? word(first['error_msg']) ?? '',
    param: word(param),
    code: codeOf(first),
    type: word(first['type']),
    prompt: count(first['n_prompt_tokens']),
    context: count(first['n_ctx']),
  }
  const raw = isObject(metadata) ? metadata['raw'] : undefined
  if (raw == null) return own
  const inner = errorWords(raw, depth + 1)
  const message = [own.message, inner.message].filter((words) => words !== '').join(': ')
  return {
    ...inner,
    message,
    param: own.param ?? inner.param,
    code: inner.code ?? own.code,
    type: inner.type ?? own.type,
  }
}

/** The error in a reply of status 200, or in a piece of a stream; `undefined` where it has none. */
export function errorWithin(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const { error, choices, base_resp: base, error_code: number, success, type, object } = value
  if (isTold(error)) return error
  const [choice] = Array.isArray(choices) ? choices : []
  if (choice !== undefined) return isObject(choice) && isTold(choice['error']) ? choice['error'] : undefined
  if (isObject(base) && base['status_code'] !== 0 && base['status_code'] !== undefined) return value
  if (number !== undefined && number !== 0) return value
  if (type === 'error' || object === 'error' || success === false) return value
  const isBare = 'code' in value && ('message' in value || 'msg' in value) && !isContent(value)
  return isBare && value['code'] !== 0 && value['code'] !== '0' ? value : undefined
}

/** Some providers send `error: {}` with each piece. */
function isTold(error: unknown): boolean {
  if (typeof error === 'string') return error !== ''
  return typeof error === 'object' && error !== null && Object.keys(error).length > 0
}

function isContent(value: Readonly<Record<string, unknown>>): boolean {
  return 'choices' in value || 'output' in value || 'content' in value || 'usage' in value || 'response' in value
}

const maxDepth = 3
const maxIssues = 8

/** Some put the code beside the error: xAI's is a sentence. */
function withCode(inner: ErrorWords, outer: Readonly<Record<string, unknown>>): ErrorWords {
  const code = inner.code ?? codeOf({ ...outer, type: undefined })
  return code === inner.code ? inner : { ...inner, code }
}

function fromIssues(issues: readonly unknown[]): ErrorWords {
  const read = issues.slice(0, maxIssues).flatMap((issue) => (isObject(issue) ? [issue] : []))
  const places = read.map(({ loc }) => (Array.isArray(loc) ? loc.filter((place) => place !== 'body').join('.') : ''))
  const causes = read.map(({ msg, input }, index) => [places[index], word(msg), inputWord(input)].join(': '))
  return { message: word(read[0]?.['msg']) ?? '', param: places[0] || undefined, causes: causes.join('\n') }
}

/** What was sent, or the type of it. */
function inputWord(input: unknown): string {
  return (word(input) ?? (isObject(input) ? word(input['type']) : undefined) ?? '').slice(0, 60)
}

function codeOf({ code, type, status, error_code: number }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof number === 'number' || typeof number === 'string') return `error_code:${number}`
  if (typeof code === 'string' && code !== '') return code
  const isStatus = typeof code === 'number' && code >= 100 && code < 600
  if (typeof code === 'number' && !isStatus) return String(code)
  return word(status) ?? word(type)
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}
