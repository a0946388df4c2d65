import { isObject } from '@csp/lib/json'
import type { JsonSchema } from '../../../domain/search.ts'
import { camelCase } from './camel-case.ts'

/**
 * Google's schemas as JSON Schema. They are those of OpenAPI 3.0 with types in capitals, whole numbers as text, and
 * field names in either case.
 */
export function jsonSchemaOf(schema: JsonSchema): JsonSchema {
  const keywords = Object.entries(schema).map(([name, value]) => [camelCase(name), value] as const)
  const { nullable, type, enum: values, ...rest } = Object.fromEntries(keywords)
  const isNullable = nullable === true
  const name = typeof type === 'string' ? type.toLowerCase() : type
  const isTyped = name !== undefined && name !== null && name !== 'type_unspecified'
  return {
    ...(isTyped && { type: isNullable && typeof name === 'string' ? [name, 'null'] : name }),
    ...(Array.isArray(values) && { enum: isNullable ? [...values, null] : values }),
    ...Object.fromEntries(
      Object.entries(rest).flatMap(([keyword, value]) =>
        value === null || withoutEffect.has(keyword) ? [] : [[keyword, keywordValue(keyword, value)]],
      ),
    ),
  }
}

function keywordValue(keyword: string, value: unknown): unknown {
  if (counts.has(keyword)) return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (maps.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, schemaIn(inner)]))
  }
  if (lists.has(keyword) && Array.isArray(value)) return value.map(schemaIn)
  return keyword === 'items' || keyword === 'additionalProperties' ? schemaIn(value) : value
}

function schemaIn(value: unknown): unknown {
  return isObject(value) ? jsonSchemaOf(value) : value
}

const withoutEffect = new Set(['propertyOrdering', 'example'])
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])
const maps = new Set(['properties', '$defs'])
const lists = new Set(['anyOf', 'prefixItems'])
