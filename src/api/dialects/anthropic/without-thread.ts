import { z } from 'zod'
import { unsupportedThread } from './error.ts'

/**
 * Refuses a `thread`, under which a client sends only the new messages of a turn: nothing is stored here, so the model
 * would miss the others. The vendor's client then sends the whole conversation. Checked before all other fields, which
 * a thread may leave out.
 */
export function withoutThread<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value, context) => {
    if (typeof value !== 'object' || value === null || !('thread' in value) || value.thread == null) return value
    const message = 'Message threads are not supported: send the whole conversation without `thread`'
    context.addIssue({ code: 'custom', path: ['thread'], message, params: { type: unsupportedThread } })
    return z.NEVER
  }, schema)
}
