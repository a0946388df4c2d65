import { UpstreamError } from '@csp/messages-api/upstream-error'
import { createUpstreamStack } from '../../src/layers/stack.ts'
import { type UpstreamBehaviour, upstreamContract } from '../contract/upstream.ts'
import { ScriptedUpstream, type UpstreamScript } from '../support/scripted-upstream.ts'

const scripts: Readonly<Record<UpstreamBehaviour, UpstreamScript>> = {
  succeed: {},
  hang: { outcome: 'hang' },
  fail: { failure: new UpstreamError(429, 'Too many.', { retryAfterSeconds: 7 }) },
  break: { outcome: 'break' },
}

upstreamContract('an upstream behind its layers', {
  factory(behaviour) {
    const inner = new ScriptedUpstream({
      content: ({ messages }) => [{ type: 'text', text: `You said: ${JSON.stringify(messages.at(-1)?.content)}` }],
      ...scripts[behaviour],
    })
    const { upstream } = createUpstreamStack({ upstream: inner, native: async () => undefined }, { concurrency: 2 })
    return { upstream, running: () => inner.running, started: () => inner.sent.length }
  },
  failure: { status: 429, type: 'rate_limit_error', retryAfterSeconds: 7 },
})
