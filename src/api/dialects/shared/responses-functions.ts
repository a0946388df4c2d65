import { z } from 'zod'
import { invalid } from '../../http/refusal.ts'
import { functionField, type SentFunction } from './chat-functions.ts'

/** A tool as both Responses APIs send it: the parts of a function stand beside the type. */
export const flatToolField = z.looseObject({ type: z.string(), ...functionField.partial().shape })

/** Throws a `Refusal` for a tool that is no function: to leave it out would change the answer. */
export function readFlatFunction(tool: z.output<typeof flatToolField>, path: SentFunction['path']): SentFunction {
  const { type, name, description, parameters } = tool
  if (type !== 'function') {
    const message = `Only functions and tools that search the web are supported, not ${type}`
    throw invalid({ path: [...path, 'type'], type: 'value_error', message })
  }
  if (name === undefined) throw invalid({ path: [...path, 'name'], type: 'missing', message: 'Field required' })
  return { function: { name, description, parameters }, path }
}
