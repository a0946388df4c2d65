import { z } from 'zod'

/** A field that is checked, and perhaps echoed, but has no effect. */
export function withoutEffect<Schema extends z.ZodType>(field: Schema): Schema {
  effectless.add(field)
  return field
}

const effectless = new WeakSet<object>()

/**
 * The fields that a caller set and that have no effect, with those of nested objects as `options.field`: a schema does
 * not read them, or says so. Objects that the schema passes on whole are not searched.
 */
export function unreadFields(schema: z.ZodType, sent: unknown): readonly string[] {
  return [sent]
    .flat()
    .flatMap((each) => namesIn(schema, each, ''))
    .slice(0, maxNames)
}

const maxNames = 20

function namesIn(schema: z.core.$ZodType, sent: unknown, prefix: string): readonly string[] {
  const shape = shapeOf(schema)
  if (!shape || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return []
  return Object.entries(sent).flatMap(([name, value]) => {
    if (isUnset(value) || !headerWord.test(name)) return []
    const place = `${prefix}${name}`
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (!field) return [place]
    if (!effectless.has(field)) return namesIn(field, value, `${place}.`)
    // A query string has `false` as text.
    return isUnset(field.safeParse(value).data) ? [] : [place]
  })
}

/**
 * The fields of an object's schema, optional, prepared first or the only object of a union. `undefined` for other types
 * and for open objects.
 */
function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  if (schema instanceof z.ZodObject) return schema.def.catchall === undefined ? schema.shape : undefined
  if (schema instanceof z.ZodPipe) return shapeOf(schema.def.in) ?? shapeOf(schema.def.out)
  if (schema instanceof z.ZodUnion) {
    const shapes = schema.options.map((option) => shapeOf(option)).filter((shape) => shape !== undefined)
    return shapes.length === 1 ? shapes[0] : undefined
  }
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodCatch
  return isWrapper ? shapeOf(schema.def.innerType) : undefined
}

/** The fields of an open object that are none of the known ones, each with the place of the object before it. */
export function unknownFields(sent: object, known: readonly string[], place: string): readonly string[] {
  const isUnknown = ([name, value]: [string, unknown]) =>
    !known.includes(name) && !isUnset(value) && headerWord.test(name)
  return Object.entries(sent)
    .filter(isUnknown)
    .slice(0, maxNames)
    .map(([name]) => `${place}${name}`)
}

/** Names go into a header. */
const headerWord = /^[\w.-]{1,64}$/

/** Values by which clients say that they do not use a field. */
function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
