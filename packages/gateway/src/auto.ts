import { askedOnce, chosenUpstream } from './chosen.ts'
import type { ShapedUpstream } from './layers/stack.ts'
import type { NativeUpstream } from './native/native.ts'
import type { Upstream } from './upstream.ts'

/**
 * An upstream that is asked once whether it speaks the Messages API. If it does, replies pass through it; otherwise they
 * are translated. While it cannot be reached nothing is decided.
 */
export function autoShaped(native: NativeUpstream, translated: Upstream): ShapedUpstream {
  const speaksMessages = askedOnce(() => native.speaksMessages())
  const choose = async (): Promise<Upstream> => ((await speaksMessages()) ? native : translated)
  return {
    upstream: chosenUpstream(native.name, choose, [native, translated]),
    native: async () => ((await speaksMessages()) ? native : undefined),
  }
}
