import type { AnthropicUpstream } from './anthropic/anthropic.ts'
import type { ShapedUpstream } from './layers/stack.ts'
import type { Upstream } from './upstream.ts'

/**
 * An upstream that is asked once whether it speaks the Messages API. If it does, replies pass through it; otherwise they
 * are translated. While it cannot be reached nothing is decided.
 */
export function autoShaped(native: AnthropicUpstream, translated: Upstream): ShapedUpstream {
  // The outcome, not the promise: on the edge a promise of one request must not be awaited by another.
  let answer: boolean | undefined
  const speaksMessages = async (): Promise<boolean> => {
    answer ??= await native.speaksMessages()
    return answer
  }
  const upstream: Upstream = {
    name: native.name,
    async *send(request, context) {
      const chosen = (await speaksMessages()) ? native : translated
      yield* chosen.send(request, context)
    },
    async close() {
      await Promise.all([native.close(), translated.close()])
    },
  }
  return { upstream, native: async () => ((await speaksMessages()) ? native : undefined) }
}
