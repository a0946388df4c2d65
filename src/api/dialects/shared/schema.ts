import { SearchError } from '../../../domain/error.ts'
import type { JsonSchema } from '../../../domain/search.ts'
import { JsonShape, parametersProblem } from '../../../executor/answer/json/shape.ts'
import type { Issue } from '../../exchange/failure.ts'
import { refused } from '../../exchange/refusal.ts'

/** The schema, if an answer can be held to it. Throws a `Refusal` that names its field, before any search. */
export function usableSchema(schema: JsonSchema | undefined, path: Issue['path']): JsonSchema | undefined {
  if (schema === undefined) return undefined
  try {
    new JsonShape(schema)
    return schema
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    throw refused(path, error.message)
  }
}

/** The parameters of a function, if a model can be offered it. Throws a `Refusal` that names their field. */
export function usableParameters(parameters: JsonSchema, path: Issue['path']): JsonSchema {
  const message = parametersProblem(parameters)
  if (message) throw refused(path, message)
  return parameters
}
