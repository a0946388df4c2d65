import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { joinBytes } from '@csp/lib/bytes'
import { isPdf } from '../extract/kind.ts'
import { PageError } from '../page-error.ts'
import { networkError } from './send.ts'

export interface BodyLimit {
  /** The limit for the body as it was sent, and again after inflation. */
  readonly maxBytes: number
  /** PDFs are larger, since their pictures are part of them. Absent: as other pages. */
  readonly pdf?: PdfLimit | undefined
  /** Whether the rest of a longer body is left out; otherwise it is `too-large`. */
  readonly isCut?: boolean | undefined
  readonly signal: AbortSignal
}

/** How much of a PDF is taken. */
export interface PdfLimit {
  readonly maxBytes: number
  /** Called once one is larger than other pages may be. The rest of it comes when this resolves. */
  readonly makeRoom: (signal: AbortSignal) => Promise<void>
}

/** Reads and inflates the body of a reply, within the limit. The caller closes the connection. */
export async function readBody(reply: IncomingMessage, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const { signal } = limit
  const stop = (): void => void reply.destroy()
  signal.addEventListener('abort', stop)
  try {
    return await collect(inflated(reply), Number(reply.headers['content-length']), limit)
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

async function collect(stream: Readable, sentBytes: number, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const { pdf, isCut = false, signal } = limit
  const parts: Uint8Array[] = []
  let { maxBytes } = limit
  let bytes = 0
  let isLarge = false
  for await (const chunk of stream) {
    // A stream without an encoding gives bytes.
    const part = chunk as Uint8Array
    if (pdf && bytes === 0 && isPdf(part)) maxBytes = pdf.maxBytes
    parts.push(part)
    bytes += part.byteLength
    if (isCut && bytes > maxBytes) return joinBytes(parts).slice(0, maxBytes)
    if (!isCut && (bytes > maxBytes || sentBytes > maxBytes)) throw tooLarge(maxBytes)
    if (bytes <= limit.maxBytes || isLarge) continue
    isLarge = true
    await pdf?.makeRoom(signal)
  }
  return joinBytes(parts)
}

function isBadData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR_BROTLI|ERR__ERROR|ERR_ZLIB)/.test(String(error.code))
}

export function tooLarge(maxBytes: number): PageError {
  return new PageError('too-large', `The page is larger than ${maxBytes / 1e6} MB.`)
}
