import { SearchError } from '../../../domain/error.ts'
import type { JsonSchema } from '../../../domain/search.ts'
import { schemaProblem } from './shape.ts'

/** Why the Messages API would reject these parameters of a function; `undefined` when it takes them. */
export function parametersProblem(parameters: JsonSchema): string | undefined {
  const { properties } = parameters
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const name = names.find((each) => !/^[A-Za-z0-9_.-]{1,64}$/.test(each))
  if (name !== undefined) {
    return `The property name “${name.slice(0, 80)}” should be 1 to 64 letters, digits, underscores, dots or dashes.`
  }
  try {
    return schemaProblem(parameters)
  } catch (error) {
    if (error instanceof SearchError) return error.message
    throw error
  }
}
