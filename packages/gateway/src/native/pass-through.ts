import { timedOut, withTimeout } from '@csp/lib/abort'
import { Alarm } from '@csp/lib/alarm'
import { joinBytes } from '@csp/lib/bytes'
import { eventText } from '@csp/lib/event-stream'
import { pieces } from '@csp/lib/http-client'
import { SecretFilter } from '@csp/lib/secret'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { toStreamError } from './connection.ts'
import { EventGate } from './event-gate.ts'
import type { ReplyMeter } from './reply-meter.ts'

export interface PassThroughOptions {
  /** The name of the caller's request. */
  readonly model: string
  readonly signal: AbortSignal
  /** How long the stream may be silent. */
  readonly idleMs: number
  /** Never goes to the caller. */
  readonly key?: string | undefined
  /** Gets what the reply says of its tokens. */
  readonly meter: Pick<ReplyMeter, 'read'>
  /** Puts an error in the stream into words that clients know. */
  readonly explained?: ((error: unknown) => UpstreamError | undefined) | undefined
  /** How often a silent stream gets a comment, so that neither its reader nor a proxy takes it for dead. */
  readonly heartbeatMs?: number | undefined
  /** Called when an error event is put behind it. */
  readonly onBreak?: ((error: UpstreamError) => void) | undefined
  /** Called once, when the stream has ended, failed or been left. */
  readonly onEnd: () => void
}

/** A stream that has been opened: its first events may say that it failed, before anything of it has gone out. */
export interface OpenStream {
  /** The error with which it begins; `undefined` when it begins well, or has brought nothing for a while. */
  failure(): Promise<unknown>
  /** What it brings, as it comes. */
  reply(onEnd: () => void): Response
  /** Gives it up. */
  close(): Promise<void>
}

/**
 * A stream of the Messages API as it comes. Only the model's name in its first event is that of the caller's request, and
 * behind a stream that broke off or fell silent for `idleMs` stands an error event, so that no client takes it for whole.
 */
export function openStream(response: Response, options: Omit<PassThroughOptions, 'onEnd'>): OpenStream {
  const { model, signal, idleMs, meter, key, heartbeatMs = 15_000, explained = () => undefined } = options
  if (!response.body) throw new UpstreamError(502, 'The upstream sent an empty reply.')
  const source = pieces(response.body, { signal, silenceMs: () => (gate.hasEnd ? tailMs : idleMs) })
  const secrets = new SecretFilter(key)
  const gate = new EventGate({ model, explained, onUsage: (usage) => meter.read(usage) })
  const alarm = new Alarm()
  /** A piece that was asked for and has not come in time. */
  let pending: Promise<IteratorResult<Uint8Array, void>> | undefined
  /** What has been read and not yet passed on. */
  const waiting: Uint8Array[] = []

  function read(step: IteratorResult<Uint8Array, void>): Uint8Array {
    if (!step.done) return gate.push(secrets.push(step.value))
    return joinBytes([gate.push(secrets.rest()), gate.rest()])
  }

  return {
    async failure() {
      while (waiting.length === 0 && !gate.hasEnd) {
        pending ??= source.next()
        const step = await withTimeout(pending, firstMs).catch((): typeof timedOut => timedOut)
        if (step === timedOut || step.done) break
        pending = undefined
        const bytes = read(step)
        if (bytes.byteLength > 0) waiting.push(bytes)
      }
      return gate.error
    },
    async close() {
      alarm.stop()
      await source.return()
    },
    reply(onEnd) {
      let isOver = false
      function end(): void {
        if (isOver) return
        isOver = true
        alarm.stop()
        signal.removeEventListener('abort', end)
        onEnd()
      }
      function breakOff(failure: UpstreamError): Uint8Array {
        options.onBreak?.(failure)
        return errorFrame(failure)
      }
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          function beat(): void {
            if (isOver) return
            if (gate.isBetween && !gate.hasEnd && (controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
            alarm.set(heartbeatMs, beat)
          }
          try {
            const held = waiting.shift()
            if (held) {
              controller.enqueue(held)
              return
            }
            for (;;) {
              alarm.set(heartbeatMs, beat)
              const step = await (pending ?? source.next())
              pending = undefined
              const bytes = read(step)
              if (bytes.byteLength > 0) controller.enqueue(bytes)
              if (step.done) break
              if (bytes.byteLength > 0) return
            }
            if (!gate.hasEnd) controller.enqueue(breakOff(new UpstreamError(502, 'The upstream broke off its reply.')))
            controller.close()
            end()
          } catch (error) {
            const failure = toStreamError(error, signal, idleMs)
            // A caller who has left reads nothing any more; one whose time is over reads why.
            if (signal.aborted && !(signal.reason instanceof UpstreamError)) controller.error(failure)
            else {
              if (!gate.hasEnd) controller.enqueue(breakOff(failure))
              controller.close()
            }
            end()
          }
        },
        async cancel() {
          end()
          await source.return()
        },
      })
      // A caller who has left may neither read on nor cancel.
      signal.addEventListener('abort', end)
      return new Response(body, { headers: { ...passingHeaders(response), ...streamHeaders } })
    },
  }
}

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** A stream that is passed on whatever it begins with. */
export function passThrough(response: Response, { onEnd, ...options }: PassThroughOptions): Response {
  return openStream(response, options).reply(onEnd)
}

/** What a reply says of its request, of limits and of trying again, which clients read. */
export function passingHeaders({ headers }: Response): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => passing.test(name)))
}

const passing = /^(?:request-id|x-should-retry|retry-after|anthropic-[\w-]+)$/

const heartbeat = new TextEncoder().encode(': ping\n\n')
/** How long a reply waits for its first event: an error there keeps its status. */
const firstMs = 1000
/** After its end a stream says nothing that counts. */
const tailMs = 5000

/** The blank lines end what came before, whatever it was. */
function errorFrame(error: UpstreamError): Uint8Array {
  return new TextEncoder().encode(`\n\n${eventText({ event: 'error', data: JSON.stringify(error.toBody()) })}`)
}
