import { deferred } from '@csp/lib/deferred'
import type { MessagesRequest } from '@csp/messages-api/request'
import { toUpstreamError, UpstreamError } from '@csp/messages-api/upstream-error'
import type { ForwardContext, NativeUpstream } from '../native/native.ts'
import type { Upstream } from '../upstream.ts'
import type { Call, CallLayer } from './call.ts'
import { UpstreamBreaker } from './circuit-breaking.ts'
import type { RestingKey } from './keys.ts'
import { queued } from './queued.ts'
import { type RetriedOptions, retried } from './retried.ts'
import { TokenTally } from './token-tally.ts'

export type { RetriedOptions } from './retried.ts'

/** An upstream, and the same one as it speaks the Messages API itself, if it does. */
export interface ShapedUpstream {
  readonly upstream: Upstream
  /** May ask the server once. */
  native(): Promise<NativeUpstream | undefined>
  /** Where it has several keys: those that rest. */
  restingKeys?(): readonly RestingKey[]
}

/** The state of one upstream. */
export interface UpstreamHealth {
  readonly name: string
  /** Whether a request made now would be sent there. */
  readonly ready: boolean
  /** Why not, in plain words. */
  readonly problem?: string | undefined
  /** The part of all input tokens that a cache held, 0 to 1; absent while none have been counted. */
  readonly cachedShare?: number | undefined
  /** Those of its keys that are not asked for a while. */
  readonly restingKeys?: readonly RestingKey[] | undefined
}

/** An upstream behind its layers. */
export interface StackedUpstream extends ShapedUpstream {
  /** The state of the breaker and the share of cached tokens. Sends nothing. */
  health(): UpstreamHealth
}

/** The size of the queue, the retries, the log and the clock. */
export interface UpstreamStackOptions {
  /** Calls that run at once; 32 by default. `Infinity`: no queue, as on the edge, where one request cannot wake another. */
  readonly concurrency?: number | undefined
  /** Calls that may wait; 100 by default. */
  readonly capacity?: number | undefined
  readonly retried?: RetriedOptions | undefined
  /** Called when the breaker opens or closes. */
  readonly log?: ((message: string) => void) | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/**
 * The layers around one upstream, whether its replies are translated or pass through: both are calls of one server, and
 * share one breaker and one queue. The order, outermost first, and why:
 *
 * 1. breaker, its gate: refuses at once, not after a wait in the queue.
 * 2. queue: callers take turns; a call holds its place through all its tries, and until its reply has ended.
 * 3. breaker, its observer: the tries of one call count once, and a queue that is full is no fault of the server.
 * 4. retry: a second try costs no place of its own. Only before the first event.
 * 5. tally: innermost, counts the tokens of each reply.
 */
export function createUpstreamStack(inner: ShapedUpstream, options: UpstreamStackOptions = {}): StackedUpstream {
  const { name } = inner.upstream
  const { concurrency = 32, capacity, log, now } = options
  const closing = new AbortController()
  const breaker = new UpstreamBreaker({ name, log, now })
  const isQueued = concurrency !== Number.POSITIVE_INFINITY
  const queue: CallLayer = isQueued ? queued({ name, concurrency, capacity, closing: closing.signal }) : (call) => call
  const retry = retried(options.retried)
  const tally = new TokenTally(name)

  const layered = <Item>(call: Call<Item>): Call<Item> =>
    breaker.gated(queue(breaker.observed(retry((context) => call(tally.counting(context))))))

  async function close(): Promise<void> {
    closing.abort()
    await inner.upstream.close()
  }

  const send =
    (upstream: Upstream): Upstream['send'] =>
    (request, context) =>
      layered((counted) => upstream.send(request, counted))(context)

  const nativeStack = (native: NativeUpstream): NativeUpstream => ({
    name,
    send: send(native),
    forward: (request, context) =>
      firstOf(layered((counted) => forwarded(native, request, { ...context, ...counted }))(context)),
    speaksMessages: () => native.speaksMessages(),
    countTokens: (request, context) => native.countTokens(request, context),
    close,
  })

  return {
    upstream: {
      name,
      send: send(inner.upstream),
      countTokens: async (request, context) => inner.upstream.countTokens?.(request, context),
      close,
    },
    async native() {
      const leave = breaker.enter()
      const tell = breaker.begin()
      try {
        const native = await inner.native()
        return native && nativeStack(native)
      } catch (error) {
        // It may not have been asked: only a failure says something about the server.
        tell(toUpstreamError(error))
        throw error
      } finally {
        leave()
      }
    },
    health() {
      const { problem } = breaker
      return {
        name,
        ready: problem === undefined,
        problem,
        cachedShare: tally.cachedShare,
        restingKeys: inner.restingKeys?.(),
      }
    },
  }
}

/** A reply that passes through, as a call: the iterator continues until the body has ended. */
async function* forwarded(
  native: NativeUpstream,
  request: MessagesRequest,
  context: ForwardContext,
): AsyncGenerator<Response, void, undefined> {
  const { promise, resolve } = deferred<void>()
  yield native.forward(request, { ...context, onEnd: resolve })
  await promise
}

/** The response, while the layers around its call hold on until its body has ended. */
async function firstOf(responses: AsyncIterable<Response>): Promise<Response> {
  const iterator = responses[Symbol.asyncIterator]()
  const { done, value } = await iterator.next()
  if (done) throw new UpstreamError(502, 'The upstream sent no reply.')
  void iterator.next().catch(() => {})
  return value
}
