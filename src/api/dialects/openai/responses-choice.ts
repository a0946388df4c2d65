import { z } from 'zod'
import { optional } from '../../fields/field.ts'
import type { SentChoice } from '../shared/chat-functions.ts'

const namedTool = z.looseObject({ type: z.string(), name: optional(z.string()) })

/** Which tool is to be used, as OpenAI's Responses API sends it: flat. */
export const toolChoiceField = optional(
  z.union([
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.literal('function'), name: z.string() }),
    z.object({ type: z.literal('allowed_tools'), mode: z.enum(['auto', 'required']), tools: z.array(namedTool) }),
    // The search itself: every answer rests on one anyway.
    z.object({ type: z.string().startsWith('web_search') }),
  ]),
)

/** Which of the caller's functions that means. */
export function readToolChoice(choice: z.output<typeof toolChoiceField>): SentChoice | undefined {
  if (choice === undefined || typeof choice === 'string') return choice && { choice }
  if ('name' in choice) return { choice: { name: choice.name } }
  if (!('mode' in choice)) return undefined
  const allowed = choice.tools.flatMap(({ type, name }) => (type === 'function' && name !== undefined ? [name] : []))
  return { choice: choice.mode, allowed }
}
