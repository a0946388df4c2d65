import { isObject } from '@csp/lib/json'

/**
 * A request with its field names in camel case: JSON for Google's APIs may have `system_instruction` or
 * `systemInstruction`. Where both are sent, camel case wins. What callers name themselves stays as it is.
 */
export function withCamelCase(sent: Readonly<Record<string, unknown>>): object {
  const fields = Object.entries(sent).map(([name, inner]) => {
    const field = camelCase(name)
    return [field, ofCallers.has(field) ? inner : renamed(inner), field === name] as const
  })
  const own = fields.filter(([, , isOwn]) => isOwn)
  return Object.fromEntries([...fields.filter(([, , isOwn]) => !isOwn), ...own].map(([field, inner]) => [field, inner]))
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed)
  return isObject(value) ? withCamelCase(value) : value
}

export function camelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Schemas, and what functions take and give. */
const ofCallers = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
])
