import { joinBytes } from '@csp/lib/bytes'
import { eventText } from '@csp/lib/event-stream'
import { pieces } from '@csp/lib/http-client'
import { isObject, parseJson } from '@csp/lib/json'
import { SecretFilter } from '@csp/lib/secret'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { toStreamError } from './connection.ts'
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
  /** Called when an error event is put behind it. */
  readonly onBreak?: ((error: UpstreamError) => void) | undefined
  /** Called once, when the stream has ended, failed or been left. */
  readonly onEnd: () => void
}

/**
 * A stream of the Messages API as it comes. Only the model's name in its first event is that of the caller's request, and
 * behind a stream that broke off or fell silent for `idleMs` stands an error event, so that no client takes it for whole.
 */
export function passThrough(response: Response, options: PassThroughOptions): Response {
  const { model, signal, idleMs, meter, key } = options
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
  if (!response.body) throw new UpstreamError(502, 'The upstream sent an empty reply.')
  const source = pieces(response.body, { signal, silenceMs: () => idleMs })
  const secrets = new SecretFilter(key)
  const head = new HeadRewriter(model, meter)
  const tail = new Tail()
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    signal.removeEventListener('abort', end)
    meter.read(tail.usage)
    options.onEnd()
  }

  function breakOff(failure: UpstreamError): Uint8Array {
    options.onBreak?.(failure)
    return errorFrame(failure)
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const step = await source.next()
          const read = step.done ? secrets.rest() : secrets.push(step.value)
          const bytes = step.done ? joinBytes([head.push(read), head.rest()]) : head.push(read)
          if (bytes.byteLength > 0) {
            tail.see(bytes)
            controller.enqueue(bytes)
          }
          if (step.done) {
            if (!tail.hasEnd) controller.enqueue(breakOff(new UpstreamError(502, 'The upstream broke off its reply.')))
            controller.close()
            end()
            return
          }
          if (bytes.byteLength > 0) return
        }
      } catch (error) {
        const failure = toStreamError(error, signal, idleMs)
        // A caller who has left reads nothing any more; one whose time is over reads why.
        if (signal.aborted && !(signal.reason instanceof UpstreamError)) controller.error(failure)
        else {
          if (!tail.hasEnd) controller.enqueue(breakOff(failure))
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
  return new Response(body, { headers })
}

/** The blank lines end what came before, whatever it was. */
function errorFrame(error: UpstreamError): Uint8Array {
  return new TextEncoder().encode(`\n\n${eventText({ event: 'error', data: JSON.stringify(error.toBody()) })}`)
}

/** Passes the first lines on one by one, until the event that names the model. */
class HeadRewriter {
  readonly #model: string
  readonly #meter: PassThroughOptions['meter']
  /** The bytes of the unfinished line. */
  #held: Uint8Array[] | undefined = []
  #size = 0

  constructor(model: string, meter: PassThroughOptions['meter']) {
    this.#model = model
    this.#meter = meter
  }

  push(bytes: Uint8Array): Uint8Array {
    if (!this.#held) return bytes
    this.#size += bytes.byteLength
    const passed: Uint8Array[] = []
    let start = 0
    for (let end = bytes.indexOf(lineEnd); this.#held && end >= 0; end = bytes.indexOf(lineEnd, start)) {
      const line = joinBytes([...this.#held, bytes.subarray(start, end + 1)])
      const named = this.#named(new TextDecoder().decode(line))
      this.#held = named === undefined ? [] : undefined
      passed.push(named === undefined ? line : new TextEncoder().encode(named))
      start = end + 1
    }
    const rest = bytes.subarray(start)
    if (this.#held && this.#size < maxHeadBytes) this.#held.push(rest)
    else passed.push(this.rest(), rest)
    return joinBytes(passed)
  }

  /** The line under the model's name of the caller's request; `undefined` for a line that names none. */
  #named(line: string): string | undefined {
    if (!line.startsWith('data:') || !line.includes('"message_start"')) return undefined
    const event = parseJson(line.slice('data:'.length))
    const message = isObject(event) ? event['message'] : undefined
    if (!isObject(event) || !isObject(message)) return line
    this.#meter.read(message['usage'])
    return `data: ${JSON.stringify({ ...event, message: { ...message, model: this.#model } })}\n`
  }

  /** What is still held back. */
  rest(): Uint8Array {
    const joined = joinBytes(this.#held ?? [])
    this.#held = undefined
    return joined
  }
}

const lineEnd = 0x0a
const maxHeadBytes = 256 * 1024

/** The last bytes of a stream. They are read when it is over: what its end says stands in its last events. */
class Tail {
  #chunks: Uint8Array[] = []
  #size = 0

  see(bytes: Uint8Array): void {
    const recent = bytes.subarray(-maxTail)
    this.#chunks.push(recent)
    this.#size += recent.byteLength
    if (this.#size < 2 * maxTail) return
    const kept = joinBytes(this.#chunks).slice(-maxTail)
    this.#chunks = [kept]
    this.#size = kept.byteLength
  }

  /** A text that quotes an end is none: its quotes are escaped. */
  get hasEnd(): boolean {
    return /"type"\s*:\s*"(?:message_stop|error)"/.test(this.#text)
  }

  /** The usage in the last event that has one. */
  get usage(): unknown {
    const line = this.#text.match(/^data:.*"message_delta".*$/gm)?.at(-1)
    const event = line === undefined ? undefined : parseJson(line.slice('data:'.length))
    return isObject(event) ? event['usage'] : undefined
  }

  get #text(): string {
    return new TextDecoder('latin1').decode(joinBytes(this.#chunks))
  }
}

const maxTail = 8 * 1024
