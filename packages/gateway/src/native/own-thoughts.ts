import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { ownSignature } from '../own-signature.ts'

/**
 * The request without thoughts that csp signed for a model behind another API: a server that speaks the Messages API itself
 * refuses a signature that is not its own. A message that held nothing else is left out.
 */
export function withoutOwnThoughts(request: MessagesRequest): MessagesRequest {
  const messages = request.messages.flatMap((message) => {
    const { content } = message
    if (typeof content === 'string' || !content.some(isOwnThought)) return [message]
    const rest = content.filter((block) => !isOwnThought(block))
    return rest.length > 0 ? [{ ...message, content: rest }] : []
  })
  return { ...request, messages }
}

function isOwnThought({ type, signature }: ContentBlock): boolean {
  return type === 'thinking' && typeof signature === 'string' && signature.startsWith(ownSignature)
}
