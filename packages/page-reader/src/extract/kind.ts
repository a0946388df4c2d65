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
  if (isBinary(body, contentType))
    throw new PageError('unsupported-type', 'The page is not text, whatever the site says.')
  const kind = declared ?? (looksLikeHtml(body) ? 'html' : 'text')
  return { kind, type: declared ? type : kind === 'html' ? 'text/html' : 'text/plain' }
}

function kindByType(type: string): BodyKind | undefined {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === 'image/svg+xml') return undefined
  const [family = '', name = ''] = type.split('/')
  const isText = family === 'text' || family === 'message' || /\+(?:json|json-seq|xml|yaml|toml|csv)$/.test(name)
  return isText || (family === 'application' && textNames.has(name.replace(/^x-/, ''))) ? 'text' : undefined
}

/** What programs call text; `x-` before a name is left out. */
const textNames: ReadonlySet<string> = new Set(
  `json json5 jsonc jsonl jsonlines ndjson json-seq geojson xml xml-dtd yaml yml toml ini properties csv tsv
  javascript ecmascript typescript node sh shellscript shell-script bash zsh csh ksh fish powershell bat
  python perl perl6 ruby php httpd-php httpd-php-source lua tcl awk sed java java-source csrc c++src dart scala kotlin clojure edn
  sql graphql sparql-query sparql-update n-triples n-quads trig turtle
  tex latex texinfo bibtex research-info-systems troff troff-man troff-me troff-ms rtf markdown asciidoc org
  subrip mpegurl vnd.apple.mpegurl mbox diff patch makefile cmake hcl terraform dockerfile
  pem-certificate-chain pem-file pgp-keys pgp-signature ipynb txt plain text wiki desktop`.split(/\s+/),
)

/** Sites send these when they do not know. */
const unknownTypes: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream', 'application/unknown']

/** Whether a body that begins like this is a PDF. */
export function isPdf(body: Uint8Array): boolean {
  // Some writers put a few bytes before it.
  return new TextDecoder('latin1').decode(body.subarray(0, 1024)).trimStart().startsWith('%PDF-')
}

/** Text holds no NUL, unless it is UTF-16. */
function isBinary(body: Uint8Array, contentType: string): boolean {
  const isMarked = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
  const isUtf16 = isMarked || /charset\s{0,9}=\s{0,9}"?utf-?16/i.test(contentType)
  return !isUtf16 && body.subarray(0, 4096).includes(0)
}

function looksLikeHtml(body: Uint8Array): boolean {
  const head = new TextDecoder().decode(body.subarray(0, 1024))
  return /<(?:!doctype\s+html|html|head|body|title|meta|article|div|p)[\s>]/i.test(head)
}
