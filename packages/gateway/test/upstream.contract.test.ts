import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { type UpstreamBehaviour, upstreamContract } from './contract/upstream.ts'
import { ScriptedUpstream, type UpstreamScript } from './support/scripted-upstream.ts'

const scripts: Readonly<Record<UpstreamBehaviour, UpstreamScript>> = {
  succeed: {},
  hang: { outcome: 'hang' },
  fail: { failure: new UpstreamError(429, 'Too many.', { retryAfterSeconds: 7 }) },
  break: { outcome: 'break' },
}

upstreamContract('a scripted upstream', {
  factory: (behaviour) => {
    const upstream = new ScriptedUpstream({ content: repeat, ...scripts[behaviour] })
    return { upstream, running: () => upstream.running, started: () => upstream.sent.length }
  },
  failure: { status: 429, type: 'rate_limit_error', retryAfterSeconds: 7 },
})

function repeat({ messages }: MessagesRequest) {
  return [{ type: 'text', text: `You said: ${JSON.stringify(messages.at(-1)?.content)}` }]
}
