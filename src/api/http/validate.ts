import { isObject } from '@csp/lib/json'
import { counted } from '@csp/lib/text'
import type { z } from 'zod'
import { bounds, Repeated } from '../exchange/body.ts'
import type { Issue } from '../exchange/failure.ts'
import { invalid, type Refusal } from '../exchange/refusal.ts'

/** Checks what a client sent. Throws a `Refusal` that names the fields that are wrong. */
export function validate<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const checked = schema.safeParse(input)
  if (checked.success) return checked.data
  const once = withFirsts(input, checked.error.issues)
  if (once) return validate(schema, once)
  throw wrongInput(checked.error.issues, input)
}

/** Where a schema takes one value and a name was repeated, its first value, as most servers do; `undefined`: nowhere. */
function withFirsts(input: unknown, issues: readonly ZodIssue[]): unknown {
  if (!isObject(input)) return undefined
  const repeated = issues.flatMap(({ path: [name] }) => {
    const values = typeof name === 'string' ? input[name] : undefined
    return values instanceof Repeated ? [[name, values[0]]] : []
  })
  return repeated.length > 0 ? { ...input, ...Object.fromEntries(repeated) } : undefined
}

/** A refusal of what a schema found wrong. */
export function wrongInput(issues: readonly ZodIssue[], input: unknown): Refusal {
  return invalid(...issues.slice(0, bounds.issues).map((issue) => toIssue(issue, input)))
}

type ZodIssue = z.core.$ZodIssue
type Words = Pick<Issue, 'type' | 'message' | 'context'>

const missing: Words = { type: 'missing', message: 'Field required' }

function toIssue(issue: ZodIssue, root: unknown): Issue {
  const { path, cause } = deepest(issue, [])
  const input = valueAt(root, path)
  return { path, ...describe(cause, input), input: echo(input) }
}

/** The value to echo in an error, as some vendors do; large values are cut or left out. */
function echo(input: unknown): unknown {
  if (typeof input === 'string') return input.slice(0, maxEchoLength)
  const isLarge = typeof input === 'object' && JSON.stringify(input).length > maxEchoLength
  return isLarge ? undefined : input
}

const maxEchoLength = 500

/** A union fails as a whole; the branch that got furthest is the one that the caller meant. */
function deepest(issue: ZodIssue, parent: Issue['path']): { path: Issue['path']; cause: ZodIssue } {
  const path = [...parent, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  if (issue.code !== 'invalid_union') return { path, cause: issue }
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1)).map((branch) => deepest(branch, path))
  const furthest = inner.toSorted((a, b) => b.path.length - a.path.length)[0]
  return furthest && furthest.path.length > path.length ? furthest : { path, cause: issue }
}

/** The value at a path. For an item of a list that came as text, the whole text. */
function valueAt(root: unknown, path: Issue['path']): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return value
    if (!Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

function describe(issue: ZodIssue, input: unknown): Words {
  switch (issue.code) {
    case 'invalid_type':
      return input === undefined ? missing : wrongType(issue.expected, input)
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? bound('greater_than_equal', `be greater than or equal to ${issue.minimum}`, 'ge', issue.minimum)
        : bound('too_short', `have at least ${counted(Number(issue.minimum), 'item')}`, 'min_length', issue.minimum)
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int'
        ? bound('less_than_equal', `be less than or equal to ${issue.maximum}`, 'le', issue.maximum)
        : bound('too_long', `have at most ${counted(Number(issue.maximum), 'item')}`, 'max_length', issue.maximum)
    case 'invalid_value':
      return input === undefined ? missing : oneOf(issue.values.map(String))
    case 'invalid_union':
      return input === undefined ? missing : { type: 'union_type', message: 'Input has the wrong type' }
    case 'custom':
      return { ...customWords(issue.params), message: issue.message }
    default:
      return { type: 'value_error', message: issue.message }
  }
}

function wrongType(expected: string, input: unknown): Words {
  switch (expected) {
    case 'string':
      return { type: 'string_type', message: 'Input should be a valid string' }
    case 'number':
    case 'int':
      return wrongInteger(input)
    case 'boolean':
      return { type: 'bool_type', message: 'Input should be a valid boolean' }
    case 'array':
      return { type: 'list_type', message: 'Input should be a valid list' }
    default:
      return { type: 'dict_type', message: 'Input should be a valid object' }
  }
}

function wrongInteger(input: unknown): Words {
  if (typeof input === 'string') return { type: 'int_parsing', message: 'Input should be a whole number' }
  if (typeof input === 'number') return { type: 'int_from_float', message: 'Input should be a whole number' }
  return { type: 'int_type', message: 'Input should be a valid integer' }
}

function bound(type: string, should: string, key: string, limit: number | bigint): Words {
  return { type, message: `Input should ${should}`, context: { [key]: Number(limit) } }
}

function oneOf(values: readonly string[]): Words {
  const quoted = values.map((value) => `'${value}'`)
  const expected = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` : quoted.join('')
  return { type: 'enum', message: `Input should be ${expected}`, context: { expected } }
}

/** The type and context of our own checks: see `Rejection`. */
function customWords(params: Readonly<Record<string, unknown>> | undefined): Omit<Words, 'message'> {
  const { type, ...context } = params ?? {}
  return {
    type: typeof type === 'string' ? type : 'value_error',
    ...(Object.keys(context).length > 0 && { context }),
  }
}
