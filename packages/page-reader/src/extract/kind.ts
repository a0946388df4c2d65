import { PageError } from '../page-error.ts'

/** How a body is read. */
export type BodyKind = 'html' | 'text' | 'pdf'

/**
 * The kind of a body, and its type without parameters. The bytes decide if they contradict the type that the site sent.
 */
export function kindOf(body: Uint8Array, contentType: string): { readonly kind: BodyKind; readonly type: string } {
  const type = /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(?:;|$)/.exec(contentType)?.[1]?.toLowerCase() ?? ''
  if (isPdf(body)) return { kind: 'pdf', type: 'application/pdf' }
  if (type === 'application/pdf')
    throw new PageError('unsupported-type', 'Content-Type is PDF, but the content is not.')
  const declared = kindByType(type)
  if (declared === undefined && !unknownTypes.includes(type)) {
    throw new PageError('unsupported-type', `Pages of the type ${type} cannot be read.`)
  }
  if (isBinary(body)) throw new PageError('unsupported-type', 'The page is not text, whatever the site says.')
  const kind = declared ?? (looksLikeHtml(body) ? 'html' : 'text')
  return { kind, type: declared ? type : kind === 'html' ? 'text/html' : 'text/plain' }
}

function kindByType(type: string): BodyKind | undefined {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type.startsWith('text/') || textTypes.includes(type) || /\+(?:json|xml|yaml)$/.test(type)) {
    return type === 'image/svg+xml' ? undefined : 'text'
  }
  return undefined
}

const textTypes: readonly string[] = [
  'application/json',
  'application/ld+json',
  'application/x-ndjson',
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/javascript',
  'application/rtf',
]

/** Sites send these when they do not know. */
const unknownTypes: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream', 'application/unknown']

/** Whether a body that begins like this is a PDF. */
export function isPdf(body: Uint8Array): boolean {
  // Some writers put a few bytes before it.
  return new TextDecoder('latin1').decode(body.subarray(0, 1024)).trimStart().startsWith('%PDF-')
}

/** Text holds no NUL, unless it is UTF-16. */
function isBinary(body: Uint8Array): boolean {
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
  return !isUtf16 && body.subarray(0, 4096).includes(0)
}

function looksLikeHtml(body: Uint8Array): boolean {
  const head = new TextDecoder().decode(body.subarray(0, 1024))
  return /<(?:!doctype\s+html|html|head|body|title|meta|article|div|p)[\s>]/i.test(head)
}
