import { joinBytes } from '../../lib/bytes.ts'
import { parseJson } from '../../lib/json.ts'
import { UpstreamError } from '../upstream-error.ts'
import type { ReplyMeter } from './reply-meter.ts'
import { Silence } from './silence.ts'

export interface PassThroughOptions {
  /** The name of the caller's request. */
  readonly model: string
  readonly signal: AbortSignal
  /** How long the stream may be silent. */
  readonly idleMs: number
  /** Gets what the reply says of its tokens. */
  readonly meter: Pick<ReplyMeter, 'read'>
  /** Called once, when the stream has ended, failed or been left. */
  readonly onEnd: () => void
}

/**
 * A stream of the Messages API as it comes. Only the model's name in its first event is that of the caller's request, and
 * behind a stream that broke off or fell silent for `idleMs` stands an error event, so that no client takes it for whole.
 */
export function passThrough(response: Response, options: PassThroughOptions): Response {
  const { model, signal, idleMs, meter } = options
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
  if (!response.body) throw new UpstreamError(502, 'The upstream sent an empty reply.')
  const reader = response.body.getReader()
  const head = new HeadRewriter(model, meter)
  const tail = new Tail()
  const silence = new Silence(idleMs)
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    signal.removeEventListener('abort', end)
    silence.end()
    meter.read(tail.usage)
    options.onEnd()
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const step = await silence.orSooner(reader.read())
          const bytes = step.done ? head.rest() : head.push(step.value)
          if (bytes.byteLength > 0) {
            tail.see(bytes)
            controller.enqueue(bytes)
          }
          if (step.done) {
            if (!tail.hasEnd) controller.enqueue(errorFrame(brokenOff()))
            controller.close()
            end()
            return
          }
          if (bytes.byteLength > 0) return
        }
      } catch (error) {
        void reader.cancel().catch(() => {})
        const cause: unknown = signal.aborted ? signal.reason : error
        // A caller who has left reads nothing any more; one whose time is over reads why.
        if (signal.aborted && !(cause instanceof UpstreamError)) controller.error(error)
        else {
          if (!tail.hasEnd) controller.enqueue(errorFrame(cause instanceof UpstreamError ? cause : brokenOff()))
          controller.close()
        }
        end()
      }
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
  // A caller who has left may neither read on nor cancel.
  signal.addEventListener('abort', end, { once: true })
  return new Response(body, { headers })
}

function brokenOff(): UpstreamError {
  return new UpstreamError(502, 'The upstream broke off its reply.')
}

/** The blank lines end what came before, whatever it was. */
function errorFrame(error: UpstreamError): Uint8Array {
  return new TextEncoder().encode(`\n\nevent: error\ndata: ${JSON.stringify(error.toBody())}\n\n`)
}

/** Holds the first bytes back until the event that names the model is whole. */
class HeadRewriter {
  readonly #model: string
  readonly #meter: PassThroughOptions['meter']
  #held: Uint8Array[] | undefined = []
  #size = 0

  constructor(model: string, meter: PassThroughOptions['meter']) {
    this.#model = model
    this.#meter = meter
  }

  push(bytes: Uint8Array): Uint8Array {
    if (!this.#held) return bytes
    this.#held.push(bytes)
    this.#size += bytes.byteLength
    const text = new TextDecoder().decode(joinBytes(this.#held), { stream: true })
    const at = /^data:[^\n]*"message_start"[^\n]*\r?\n/m.exec(text)
    if (!at && this.#size < maxHeadBytes) return new Uint8Array()
    const joined = this.rest()
    if (!at) return joined
    const line = this.#named(at[0])
    // Of the text up to the end of the line, as bytes: the cut may stand within a character behind it.
    const before = new TextEncoder().encode(text.slice(0, at.index))
    const old = new TextEncoder().encode(at[0])
    return joinBytes([before, new TextEncoder().encode(line), joined.subarray(before.byteLength + old.byteLength)])
  }

  #named(line: string): string {
    const event = parseJson(line.slice('data:'.length))
    if (typeof event !== 'object' || event === null) return line
    const message: unknown = Reflect.get(event, 'message')
    if (typeof message !== 'object' || message === null) return line
    this.#meter.read(Reflect.get(message, 'usage'))
    return `data: ${JSON.stringify({ ...event, message: { ...message, model: this.#model } })}\n`
  }

  /** What is still held back. */
  rest(): Uint8Array {
    const joined = joinBytes(this.#held ?? [])
    this.#held = undefined
    return joined
  }
}

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

  /** Of the last event that has one. */
  get usage(): unknown {
    const line = this.#text.match(/^data:.*"message_delta".*$/gm)?.at(-1)
    const event = line === undefined ? undefined : parseJson(line.slice('data:'.length))
    return typeof event === 'object' && event !== null ? Reflect.get(event, 'usage') : undefined
  }

  get #text(): string {
    return new TextDecoder('latin1').decode(joinBytes(this.#chunks))
  }
}

const maxTail = 8 * 1024
