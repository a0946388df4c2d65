import { z } from 'zod'
import type { JsonSchema } from '../../../domain/search.ts'
import { optional } from '../../fields/field.ts'
import { invalid } from '../../http/refusal.ts'

const schemaField = optional(z.record(z.string(), z.unknown()))

/** The form that an answer is to have, as OpenAI's and Perplexity's chats and Perplexity's Agent API send it. */
export const responseFormatField = optional(
  z.looseObject({ type: z.string(), json_schema: optional(z.looseObject({ schema: schemaField })) }),
)

/** The same as OpenAI's Responses API sends it: flat. */
export const textFormatField = optional(z.looseObject({ type: z.string(), schema: schemaField }))

/** The schema that the text has to fit; `undefined` when it may be any text. Throws a `Refusal`. */
export function readResponseFormat(format: z.output<typeof responseFormatField>): JsonSchema | undefined {
  return format && readFormat(format.type, format.json_schema?.schema, ['response_format', 'type'])
}

/** As `readResponseFormat`. */
export function readTextFormat(format: z.output<typeof textFormatField>): JsonSchema | undefined {
  return format && readFormat(format.type, format.schema, ['text', 'format', 'type'])
}

/** The AI SDK asks for JSON of any form by a schema that is not there. */
function readFormat(type: string, schema: JsonSchema | undefined, path: readonly string[]): JsonSchema | undefined {
  switch (type) {
    case 'text':
      return undefined
    case 'json_object':
      return anyObject
    case 'json_schema':
      return schema ?? anyObject
    default:
      throw invalid({ path, type: 'value_error', message: `text, json_object and json_schema are, ${type} is not` })
  }
}

const anyObject: JsonSchema = { type: 'object' }
