import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { responsesUpstream } from '../../src/responses/responses.ts'
import type { TranslatedOptions } from '../../src/translation/translation.ts'
import { streamOf } from './provider-stream.ts'
import { chunk, frameOf } from './strict-provider.ts'

type Request = Omit<MessagesRequest, 'model' | 'messages'> & { readonly messages?: MessagesRequest['messages'] }

/** What a provider of each API gets for a request. */
export const sentBody = {
  chat: (request: Request, kind: 'other' | 'openai' | 'ollama' | 'openrouter' = 'other') =>
    bodyFor(request, (options) => chatUpstream({ ...options, kind }), [chunk({ content: 'Hi.' }, 'stop')].map(frameOf)),
  responses: (request: Request) => bodyFor(request, responsesUpstream, [frameOf(finished)]),
}

const finished = { type: 'response.completed', response: { status: 'completed', output: [] } }

async function bodyFor(
  request: Request,
  create: (options: TranslatedOptions) => ReturnType<typeof responsesUpstream>,
  reply: readonly string[],
): Promise<Record<string, unknown>> {
  let sent = '{}'
  const upstream = create({
    name: 'x',
    baseUrl: 'http://provider.example/v1',
    async fetch(_url, { body }) {
      sent = String(body)
      return streamOf(reply.join(''))
    },
  })
  const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], ...request }
  await foldMessage(upstream.send(asked, { signal: new AbortController().signal })).catch(() => {})
  await upstream.close()
  return JSON.parse(sent)
}
