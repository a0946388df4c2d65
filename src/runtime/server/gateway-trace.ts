import { appendFile, chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { joinBytes } from '@csp/lib/bytes'
import { messageOf } from '@csp/lib/errors'
import type { Fetch } from '@csp/lib/http-client'
import { withoutSecret } from '@csp/lib/secret'
import type { Log } from '../log/log.ts'

export interface GatewayTraceOptions {
  readonly file: string
  /** Never written, wherever they stand. */
  readonly secrets: readonly string[]
  readonly log: Log
  /** The most that the file may hold; 100 MB by default. */
  readonly maxBytes?: number | undefined
}

/**
 * Logs the exchanges with upstreams, one line of JSON each, to a file that only its owner can read. The line is written
 * after the reply ends, without delaying it.
 */
export class GatewayTrace {
  readonly #options: GatewayTraceOptions
  readonly #file: string
  #size: number | undefined
  #hasEnded = false
  #written: Promise<void> = Promise.resolve()

  constructor(options: GatewayTraceOptions) {
    this.#options = options
    this.#file = resolve(options.file)
    options.log(
      'warning',
      `Whole requests and replies of the gateway are written to ${this.#file}, with all that they say; keys are left out.`,
    )
  }

  around(fetchWith: Fetch): Fetch {
    return async (url, init) => {
      const startedAt = Date.now()
      const request = { url, headers: shown(init.headers), body: bodyText(init.body) }
      const end = (reply: object): void => {
        const milliseconds = Date.now() - startedAt
        this.#write({ at: new Date(startedAt).toISOString(), milliseconds, request, reply })
      }
      try {
        return watched(await fetchWith(url, init), end)
      } catch (error) {
        end({ error: messageOf(error) })
        throw error
      }
    }
  }

  /** Resolves when all lines so far are in the file. */
  settled(): Promise<void> {
    return this.#written
  }

  #write(exchange: object): void {
    const line = this.#options.secrets.reduce(withoutSecret, `${JSON.stringify(exchange)}\n`)
    this.#written = this.#written.then(() => this.#append(line)).catch((error) => this.#stop(messageOf(error)))
  }

  async #append(line: string): Promise<void> {
    if (this.#hasEnded) return
    this.#size ??= await this.#open()
    const { maxBytes = usualMaxBytes } = this.#options
    this.#size += Buffer.byteLength(line)
    if (this.#size > maxBytes) return this.#stop(`it would be larger than ${maxBytes / 1_000_000} MB`)
    await appendFile(this.#file, line, { mode: 0o600 })
  }

  /** The bytes that are there already. */
  async #open(): Promise<number> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await appendFile(this.#file, '', { mode: 0o600 })
    await chmod(this.#file, 0o600)
    return (await stat(this.#file)).size
  }

  #stop(reason: string): void {
    if (!this.#hasEnded) this.#options.log('warning', `Nothing more is written to ${this.#file}: ${reason}.`)
    this.#hasEnded = true
  }
}

const usualMaxBytes = 100_000_000

/** Written of one body: the rest of a larger one is left out. */
const maxBodyBytes = 8_000_000

/** The same reply, whose end is told with all that has been read of it. */
function watched(response: Response, end: (reply: object) => void): Response {
  const { status, statusText, headers, body } = response
  const head = { status, headers: shown(headers) }
  if (!body) {
    end(head)
    return response
  }
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  const finish = (error?: string): void => {
    end({ ...head, body: readable(joinBytes(pieces), size), ...(error !== undefined && { error }) })
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) {
            finish()
            controller.close()
            return
          }
          if (size < maxBodyBytes) pieces.push(value.slice())
          size += value.byteLength
          controller.enqueue(value)
        } catch (error) {
          finish(messageOf(error))
          controller.error(error)
        }
      },
      cancel(reason) {
        finish('The reader has left.')
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, statusText, headers })
}

function bodyText(body: unknown): string {
  const bytes =
    typeof body === 'string' ? new TextEncoder().encode(body) : body instanceof Uint8Array ? body : undefined
  return bytes ? readable(bytes, bytes.byteLength) : ''
}

function readable(bytes: Uint8Array, size: number): string {
  const text = new TextDecoder().decode(bytes.subarray(0, maxBodyBytes))
  return size > maxBodyBytes ? `${text}… (${size} bytes)` : text
}

/** Headers without those that open something. */
function shown(headers: ConstructorParameters<typeof Headers>[0]): Record<string, string> {
  return Object.fromEntries([...new Headers(headers)].filter(([name]) => !secretHeaders.test(name)))
}

const secretHeaders = /^(?:proxy-)?authorization$|^(?:x-)?(?:goog-)?api-key$|cookie|token|secret/
