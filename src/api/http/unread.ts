import { z } from 'zod'

/**
 * The fields that a caller set and a schema does not read, with those of nested objects as `options.field`: none of
 * them can have an effect. Objects that the schema passes on whole are not searched.
 */
export function unreadFields(schema: z.ZodType, sent: unknown): readonly string[] {
  return namesIn(schema, sent, '').slice(0, maxNames)
}

const maxNames = 20

function namesIn(schema: unknown, sent: unknown, prefix: string): readonly string[] {
  const shape = shapeOf(schema)
  if (!shape || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return []
  return Object.entries(sent).flatMap(([name, value]) => {
    // The name goes into a header.
    if (isUnset(value) || !/^[\w.-]{1,64}$/.test(name)) return []
    const place = `${prefix}${name}`
    return Object.hasOwn(shape, name) ? namesIn(shape[name], value, `${place}.`) : [place]
  })
}

/**
 * The fields of an object's schema, optional, prepared first or the only object of a union. `undefined` for other types
 * and for open objects.
 */
function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (schema instanceof z.ZodObject) return schema.def.catchall === undefined ? schema.shape : undefined
  if (schema instanceof z.ZodPipe) return shapeOf(schema.def.in) ?? shapeOf(schema.def.out)
  if (schema instanceof z.ZodUnion) {
    const shapes = schema.options.map((option) => shapeOf(option)).filter((shape) => shape !== undefined)
    return shapes.length === 1 ? shapes[0] : undefined
  }
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodCatch
  return isWrapper ? shapeOf(schema.def.innerType) : undefined
}

/** Values by which clients say that they do not use a field. */
function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
