import { joinBytes } from '@csp/lib/bytes'
import { isObject, parseJson } from '@csp/lib/json'
import type { UpstreamError } from '@csp/messages-api/upstream-error'
import { errorWithin } from '../catalogue/error-within.ts'

export interface EventGateOptions {
  /** The name of the caller's request. */
  readonly model: string
  readonly onUsage: (usage: unknown) => void
  /** Puts an error of the upstream's into words that clients know; `undefined` where its own go on as they are. */
  readonly explained: (error: unknown) => UpstreamError | undefined
}

/**
 * Lets the events of a stream pass as they come, as bytes and each as a whole. The first one gets the model's name of the
 * caller's request, an error the form of the Messages API, and behind the end nothing passes.
 */
export class EventGate {
  readonly #options: EventGateOptions
  /** The bytes of the unfinished event. */
  #held: Uint8Array[] = []
  #heldSize = 0
  #seen = 0
  #isNamed = false
  #isSplit = false
  #hasEnd = false
  #error: unknown

  constructor(options: EventGateOptions) {
    this.#options = options
  }

  /** Whether the stream has said that it is over, or failed. */
  get hasEnd(): boolean {
    return this.#hasEnd
  }

  /** Whether all that has passed are whole events: something may stand between two. */
  get isBetween(): boolean {
    return !this.#isSplit
  }

  /** The error in the stream. */
  get error(): unknown {
    return this.#error
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.#hasEnd) return nothing
    this.#seen += bytes.byteLength
    // Most pieces are whole events.
    if (this.#held.length === 0 && bytes.at(-1) === lineEnd && bytes.at(-2) === lineEnd) {
      const wasSplit = this.#isSplit
      this.#isSplit = false
      return this.#passed(bytes, !wasSplit || this.#isNamed)
    }
    const before = this.#held.at(-1)?.slice(-maxBlank) ?? nothing
    const end = lastBlank(latin1(before.byteLength > 0 ? joinBytes([before, bytes]) : bytes)) - before.byteLength
    if (end <= 0) return this.#hold(bytes)
    const whole = this.#held.length > 0 ? joinBytes([...this.#held, bytes.subarray(0, end)]) : bytes.subarray(0, end)
    const wasSplit = this.#isSplit
    this.#held = end < bytes.byteLength ? [bytes.subarray(end)] : []
    this.#heldSize = bytes.byteLength - end
    this.#isSplit = false
    // The rest of an event whose beginning has passed already.
    if (wasSplit) return this.#passed(whole, whole.byteLength < bytes.byteLength || this.#isNamed)
    return this.#passed(whole, true)
  }

  /** What is still held back when the stream is over. */
  rest(): Uint8Array {
    const whole = joinBytes(this.#held)
    this.#held = []
    return this.#hasEnd || whole.byteLength === 0 ? nothing : this.#passed(whole, true)
  }

  /** An event as long as this one passes in pieces. */
  #hold(bytes: Uint8Array): Uint8Array {
    this.#held.push(bytes)
    this.#heldSize += bytes.byteLength
    if (this.#heldSize < maxHeld) return nothing
    const held = joinBytes(this.#held)
    this.#held = []
    this.#heldSize = 0
    this.#isSplit = true
    this.#isNamed ||= this.#seen >= maxHeld
    return held
  }

  #passed(whole: Uint8Array, mayRead: boolean): Uint8Array {
    if (!mayRead || (this.#isNamed && !notable.test(latin1(whole)))) return whole
    let isChanged = false
    const events = new TextDecoder().decode(whole).split(afterBlank)
    const read = events.map((event) => {
      const passed = this.#hasEnd ? '' : this.#read(event)
      isChanged ||= passed !== event
      return passed
    })
    if (this.#seen >= maxHeld) this.#isNamed = true
    return isChanged ? new TextEncoder().encode(read.join('')) : whole
  }

  #read(event: string): string {
    const data = event.match(/^data:.*$/m)?.[0]
    if (data === undefined) return event
    if (data.slice('data:'.length).trim() === '[DONE]') return ''
    const isFirst = !this.#isNamed && data.includes('"message_start"')
    if (!isFirst && !notable.test(data)) return event
    const value = parseJson(data.slice('data:'.length))
    if (!isObject(value)) return event
    const { type, message, usage } = value
    if (isFirst && type === 'message_start' && isObject(message)) {
      this.#isNamed = true
      this.#options.onUsage(message['usage'])
      return event.replace(
        data,
        () => `data: ${JSON.stringify({ ...value, message: { ...message, model: this.#options.model } })}`,
      )
    }
    if (type === 'message_delta') this.#options.onUsage(usage)
    if (type === 'message_stop') this.#hasEnd = true
    return type !== undefined && type !== 'error' && !('error' in value) ? event : this.#failed(event, value)
  }

  #failed(event: string, value: Readonly<Record<string, unknown>>): string {
    const error = errorWithin(value)
    if (error === undefined) return event
    this.#hasEnd = true
    this.#error = error
    const failure = this.#options.explained(error)
    return failure ? `event: error\ndata: ${JSON.stringify(failure.toBody())}\n\n` : event
  }
}

const nothing = new Uint8Array()
const lineEnd = 0x0a
/** Of two line ends. */
const maxBlank = 3
const maxHeld = 256 * 1024

const afterBlank = /(?<=\n\r?\n)/

/** What says that an event has to be read. A text that quotes it has escaped quotes. */
const notable = /"(?:message_delta|message_stop|error|base_resp|error_msg)"|\[DONE\]/

/** Where the last whole event ends; 0 where none does. */
function lastBlank(text: string): number {
  const plain = text.lastIndexOf('\n\n')
  const long = text.lastIndexOf('\r\n\r\n')
  return Math.max(plain < 0 ? 0 : plain + 2, long < 0 ? 0 : long + 4)
}

/** One character for each byte. */
function latin1(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

const decoder = new TextDecoder('latin1')
