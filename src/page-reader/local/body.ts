import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { PageError } from '../../domain/page.ts'
import { joinBytes } from '../../lib/bytes.ts'
import { networkError } from './send.ts'

export interface BodyLimit {
  /** Of the body as it was sent, and again after inflation. */
  readonly maxBytes: number
  /** Whether the rest of a longer body is left out; otherwise it is `too-large`. */
  readonly isCut?: boolean | undefined
  readonly signal: AbortSignal
}

/** Reads and inflates the body of a reply, within the limit. The caller closes the connection. */
export async function readBody(reply: IncomingMessage, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, isCut = false, signal } = limit
  const stop = (): void => void reply.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (Number(reply.headers['content-length']) > maxBytes && !isCut) throw tooLarge(maxBytes)
    return await collect(inflated(reply), maxBytes, isCut)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw isBadData(error)
      ? new PageError('site-failed', 'The reply of the site is damaged.', { cause: error })
      : networkError(error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** What can be undone of what servers do to bodies. */
export const acceptedEncodings = 'gzip, br'

function inflated(reply: IncomingMessage): Readable {
  const encoding = (reply.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return reply
  const inflater = inflaters[encoding]?.()
  if (!inflater) throw new PageError('site-failed', 'The site sent its reply in an encoding that was not asked for.')
  // Errors come out of the inflater, which is read.
  pipeline(reply, inflater, () => {})
  return inflater
}

const inflaters: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

async function collect(stream: Readable, maxBytes: number, isCut: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    // A stream without an encoding gives bytes.
    const part = chunk as Uint8Array
    parts.push(part)
    bytes += part.byteLength
    if (bytes <= maxBytes) continue
    if (isCut) return joinBytes(parts).slice(0, maxBytes)
    throw tooLarge(maxBytes)
  }
  return joinBytes(parts)
}

function isBadData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_ZLIB)/.test(String(error.code))
}

function tooLarge(maxBytes: number): PageError {
  return new PageError('too-large', `The page is larger than ${maxBytes / 1e6} MB.`)
}
