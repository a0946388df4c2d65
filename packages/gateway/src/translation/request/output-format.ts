import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { z } from 'zod'
import type { ErrorWords } from '../../catalogue/error-within.ts'

/** A schema that the reply must satisfy, in the form that both APIs of OpenAI have. */
export interface OutputSchema {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly strict: boolean
}

/** The schema of `output_config.format`, or of `output_format`, its name in the beta. */
export function outputSchema(request: MessagesRequest): OutputSchema | undefined {
  const [name, given] =
    request.output_config?.['format'] == null
      ? ['output_format', request['output_format']]
      : ['output_config.format', request.output_config['format']]
  if (given == null) return undefined
  const format = formatSchema.safeParse(given)
  if (!format.success) {
    const [issue] = format.error.issues
    throw new UpstreamError(400, `${[name, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'invalid'}`)
  }
  const { schema } = format.data
  return { name: 'reply', schema, strict: isStrict(schema, maxDepth) }
}

const formatSchema = z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })

/** A request that asks for the schema in words, for models that take it in no other way. */
export function withSchemaInWords(request: MessagesRequest): MessagesRequest {
  const wanted = outputSchema(request)
  if (!wanted) return request
  const text = `Reply with one JSON value that is valid by this schema, and with nothing else: no words around it, no code fence.\n${JSON.stringify(wanted.schema)}`
  const { system } = request
  if (system == null || typeof system === 'string')
    return { ...request, system: system ? `${system}\n\n${text}` : text }
  return { ...request, system: [...system, { type: 'text', text }] }
}

/** The feature that a provider refuses if it takes no schema, or not this one. */
export const schemaFeature = 'json-schema'

/** Whether an error refuses the schema, in a request that has one. Errors about tools may say the like: they come again. */
export function refusesSchema({ message, param }: ErrorWords): boolean {
  return /^(?:response_format|text\.format)/.test(param ?? '') || aboutSchema.test(message)
}

const aboutSchema = /response[_ ]?format|json[_ ]?(?:schema|mode)|text\.format|structured output|grammar|guided/i

/** OpenAI holds a model to a schema only where each object names all of its properties and allows no others. */
function isStrict(schema: unknown, depth: number): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (depth === 0) return false
  if (Array.isArray(schema)) return schema.every((item) => isStrict(item, depth - 1))
  const fields = objectSchema.safeParse(schema).data
  if (!fields) return false
  const { properties, required = [], additionalProperties } = fields
  const isObject = fields.type === 'object' || properties !== undefined
  const names = Object.keys(properties ?? {})
  if (isObject && (additionalProperties !== false || !names.every((name) => required.includes(name)))) return false
  return Object.values(schema).every((value) => isStrict(value, depth - 1))
}

const objectSchema = z.looseObject({
  type: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
})

const maxDepth = 32
