import { z } from 'zod'

/** An optional field; `null` means absent. Also for `z.unknown()`, which on its own makes a field required. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** An optional parameter; clients send unset parameters as empty text, or as one of `none`. */
export function given<Schema extends z.ZodType>(field: Schema, none: readonly string[] = []) {
  return z.preprocess((value) => {
    const text = typeof value === 'string' ? value.trim().toLowerCase() : value
    return text === '' || (typeof text === 'string' && none.includes(text)) ? undefined : value
  }, optional(field))
}

/**
 * A field of text; `read` returns its value or a `Rejection`, and gets at most `maxLength` characters. `words` says in the
 * reference what it holds.
 */
export function textField<Output>(
  read: (text: string) => Output | Rejection,
  words?: string,
  maxLength = maxShortText,
) {
  const text = words === undefined ? z.string() : z.string().meta({ description: words })
  return text.transform((text, context) => {
    const value = text.length > maxLength ? tooLong(maxLength) : read(text)
    if (!(value instanceof Rejection)) return value
    context.addIssue({ code: 'custom', message: value.message, params: { type: value.type, ...value.context } })
    return z.NEVER
  })
}

/** No date, place, language or address of a site is longer. */
const maxShortText = 2_048

function tooLong(maximum: number): Rejection {
  return new Rejection('string_too_long', `String should have at most ${maximum} characters`, { max_length: maximum })
}

/** What is wrong with a text, in the words of an `Issue`. */
export class Rejection {
  readonly type: string
  readonly message: string
  readonly context: Readonly<Record<string, unknown>>

  constructor(type: string, message: string, context: Readonly<Record<string, unknown>> = {}) {
    this.type = type
    this.message = message
    this.context = context
  }
}

/** A whole number, as JSON or as the text of a query string. */
export function integerField(minimum: number, maximum: number) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value),
    z.int().min(minimum).max(maximum),
  )
}

/** A number, as JSON or as text. */
export function numberField(minimum: number, maximum: number) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value),
    z.number().min(minimum).max(maximum),
  )
}

/** A yes or no in any spelling that a query string holds: `true`, `1`, `False`, `off`. */
export const booleanField = z.preprocess(
  (value) => (typeof value === 'string' || typeof value === 'number' ? (spellings.get(lower(value)) ?? value) : value),
  z.boolean(),
)

/** A name from a list, in any case; read as the list spells it. */
export function nameField<const Names extends readonly string[]>(names: Names) {
  const spelled = new Map<string, string>(names.map((name) => [lower(name), name]))
  return z.preprocess(
    (value) => (typeof value === 'string' ? (spelled.get(lower(value)) ?? value) : value),
    z.enum(names),
  )
}

/** A list, or the text of one with commas between its items. Blank items are dropped. */
export function listField<Item extends z.ZodType>(item: Item, maximum: number) {
  return z.preprocess(
    (value) =>
      typeof value === 'string'
        ? value
            .split(',')
            .map((part) => part.trim())
            .filter(Boolean)
        : value,
    z.array(item).max(maximum),
  )
}

const spellings = new Map([
  ...['true', '1', 'yes', 'y', 'on', 't'].map((text) => [text, true] as const),
  ...['false', '0', 'no', 'n', 'off', 'f'].map((text) => [text, false] as const),
])

function lower(value: string | number): string {
  return String(value).trim().toLowerCase()
}

/** Those of the named fields that the caller set. `false` and empty text count as unset. */
export function ignoredFields<Input extends object>(
  input: Input,
  names: readonly (keyof Input & string)[],
): readonly string[] {
  return names.filter((name) => input[name] !== undefined && input[name] !== false && input[name] !== '')
}
