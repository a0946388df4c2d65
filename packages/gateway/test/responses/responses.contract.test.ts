import { responsesUpstream } from '../../src/responses/responses.ts'
import { type UpstreamBehaviour, upstreamContract } from '../contract/upstream.ts'
import { eventsOf } from '../support/responses-events.ts'
import { openAiError } from '../support/strict-provider.ts'
import { type ResponsesScript, serveResponses } from '../support/strict-responses.ts'

/** The beginning of a reply, up to its first word. */
const begun = [...eventsOf({ text: 'Well, yes.' })].slice(0, 5)

const scripts: Readonly<Record<UpstreamBehaviour, ResponsesScript['reply']>> = {
  succeed: ({ input }) => ({ text: `You said: ${JSON.stringify(input.at(-1))}` }),
  hang: () => [...begun, 'hang'],
  fail: () => {
    const response = openAiError(429, 'Rate limit reached.')
    response.headers.set('retry-after', '7')
    return response
  },
  break: () => begun,
}

upstreamContract("OpenAI's Responses API", {
  factory: (behaviour) => {
    const server = serveResponses({ reply: scripts[behaviour] })
    return {
      upstream: responsesUpstream({ name: 'openai', baseUrl: server.url }),
      running: server.running,
      started: () => server.bodies.length,
      dispose: () => server[Symbol.asyncDispose](),
    }
  },
  failure: { status: 429, type: 'rate_limit_error', retryAfterSeconds: 7 },
})
