import type { MessagesRequest } from '../../messages/request.ts'

/** Whether the model may think. */
export function reasons({ thinking }: MessagesRequest): boolean {
  return thinking?.type !== 'disabled'
}

/** Whether the caller has asked for the thoughts themselves. */
export function wantsThoughts({ thinking }: MessagesRequest): boolean {
  return thinking != null && thinking.type !== 'disabled'
}

/** How hard it shall think, in the words of OpenAI; `undefined` where the caller does not say. */
export function effortOf({ output_config }: MessagesRequest): string | undefined {
  const effort = output_config?.effort
  if (effort === 'xhigh' || effort === 'max') return 'high'
  return effort === 'low' || effort === 'medium' || effort === 'high' ? effort : undefined
}
