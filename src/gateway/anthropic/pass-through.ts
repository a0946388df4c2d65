import { joinBytes } from '../../lib/bytes.ts'
import { parseJson } from '../../lib/json.ts'
import { UpstreamError } from '../upstream-error.ts'

/**
 * A stream of the Messages API as it comes. Only the model's name in its first event is that of the caller's request, and
 * behind a stream that broke off or fell silent for `idleMs` stands an error event, so that no client takes it for whole.
 */
export function passThrough(response: Response, model: string, signal: AbortSignal, idleMs: number): Response {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
  if (!response.body) throw new UpstreamError(502, 'The upstream sent an empty reply.')
  const reader = response.body.getReader()
  const head = new HeadRewriter(model)
  const end = new EndWatch()

  async function read() {
    let timer: ReturnType<typeof setTimeout> | undefined
    const silence = new Promise<'silent'>((resolve) => {
      timer = setTimeout(resolve, idleMs, 'silent')
    })
    try {
      return await Promise.race([reader.read(), silence])
    } finally {
      clearTimeout(timer)
    }
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const step = await read()
          if (step === 'silent') throw new UpstreamError(504, `The upstream sent nothing for ${idleMs / 1000} s.`)
          const bytes = step.done ? head.rest() : head.push(step.value)
          if (bytes.byteLength > 0) {
            end.see(bytes)
            controller.enqueue(bytes)
          }
          if (step.done) {
            if (!end.hasEnded) controller.enqueue(errorFrame(brokenOff()))
            controller.close()
            return
          }
          if (bytes.byteLength > 0) return
        }
      } catch (error) {
        void reader.cancel().catch(() => {})
        if (signal.aborted) {
          controller.error(error)
          return
        }
        controller.enqueue(errorFrame(error instanceof UpstreamError ? error : brokenOff()))
        controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
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
  #held: Uint8Array[] | undefined = []
  #size = 0

  constructor(model: string) {
    this.#model = model
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
    const line = named(at[0], this.#model)
    // Of the text up to the end of the line, as bytes: the cut may stand within a character behind it.
    const before = new TextEncoder().encode(text.slice(0, at.index))
    const old = new TextEncoder().encode(at[0])
    return joinBytes([before, new TextEncoder().encode(line), joined.subarray(before.byteLength + old.byteLength)])
  }

  /** What is still held back. */
  rest(): Uint8Array {
    const joined = joinBytes(this.#held ?? [])
    this.#held = undefined
    return joined
  }
}

const maxHeadBytes = 256 * 1024

function named(line: string, model: string): string {
  const event = parseJson(line.slice('data:'.length))
  if (typeof event !== 'object' || event === null) return line
  const message: unknown = Reflect.get(event, 'message')
  if (typeof message !== 'object' || message === null) return line
  return `data: ${JSON.stringify({ ...event, message: { ...message, model } })}\n`
}

/** Looks for the last event, also where it is cut. A text that quotes it is no end: its quotes are escaped. */
class EndWatch {
  hasEnded = false
  #tail = ''
  readonly #decoder = new TextDecoder('latin1')

  see(bytes: Uint8Array): void {
    if (this.hasEnded) return
    // The end is in the last bytes: what came before them has been looked at.
    const recent = this.#tail + this.#decoder.decode(bytes.subarray(-maxTail))
    this.hasEnded = /"type"\s*:\s*"(?:message_stop|error)"/.test(recent)
    this.#tail = recent.slice(-maxTail)
  }
}

const maxTail = 1024
