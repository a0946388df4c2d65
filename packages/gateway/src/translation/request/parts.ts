import { type ContentBlock, isBlocks } from '@csp/messages-api/request'
import { readBlock } from './blocks.ts'
import { foundTool } from './tools.ts'

/** A piece of what a message says, before it has the form of an API. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  /** An address, or a data URL. */
  | { readonly type: 'image'; readonly url: string }
  /** A data URL, or an address. */
  | { readonly type: 'file'; readonly filename: string; readonly data: string }
  | { readonly type: 'file-url'; readonly url: string }

export interface PartOptions {
  /** Whether the model takes images. Otherwise a note stands in their place. */
  readonly images: boolean
  /** Whether the provider takes PDF files. */
  readonly files: boolean
  /** Whether it takes them by their address. */
  readonly fileUrls?: boolean | undefined
}

/** The text, images and documents of blocks. */
export function toParts(blocks: readonly ContentBlock[], path: string, options: PartOptions): readonly Part[] {
  return blocks.flatMap((block, index) => partsOf(block, `${path}.${index}`, options))
}

/** The text, images and documents of a block. One of another type has no counterpart and is left out. */
export function partsOf(block: ContentBlock, path: string, options: PartOptions): readonly Part[] {
  switch (block.type) {
    case 'text': {
      const { text } = readBlock('text', block, path)
      return text === '' ? [] : [textPart(text)]
    }
    case 'image':
      return [imagePart(block, path, options)]
    case 'document':
      return documentParts(block, path, options)
    case 'search_result':
      return searchResultParts(block, path, options)
    case 'container_upload':
      return [textPart(`[A file stood here: ${String(block['file_id'])}. It cannot be shown to this model.]`)]
    case 'tool_reference':
      return [textPart(foundTool(block))]
    default:
      return []
  }
}

/** The text of parts, joined. */
export function partsText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

export function textPart(text: string): Part {
  return { type: 'text', text }
}

function imagePart(block: ContentBlock, path: string, { images }: PartOptions): Part {
  const { source } = readBlock('image', block, path)
  const isData = (source.type ?? 'base64') === 'base64' && source.data
  const url = isData ? dataUrl(source.media_type ?? 'image/png', isData) : source.url
  if (!images || !url) return textPart('[An image stood here. It cannot be shown to this model.]')
  return { type: 'image', url }
}

function documentParts(block: ContentBlock, path: string, options: PartOptions): readonly Part[] {
  const { source, title } = readBlock('document', block, path)
  const { content } = source
  if (source.type === 'text' && source.data) return [textPart(title ? `${title}\n${source.data}` : source.data)]
  if (typeof content === 'string') return [textPart(content)]
  const words = source.type === 'base64' && /^text\//.test(source.media_type ?? '') ? wordsIn(source.data) : undefined
  if (words !== undefined) return [textPart(title ? `${title}\n${words}` : words)]
  if (source.type === 'url' && source.url && options.fileUrls) return [{ type: 'file-url', url: source.url }]
  if (isBlocks(content)) return toParts(content, `${path}.source.content`, options)
  const filename = title || 'document.pdf'
  if (source.type !== 'base64' || !source.data || !options.files) {
    return [textPart(`[A document stood here: ${source.url ?? filename}. It cannot be shown to this model.]`)]
  }
  return [{ type: 'file', filename, data: dataUrl(source.media_type ?? 'application/pdf', source.data) }]
}

/** A text that was sent as a file; `undefined` for what is none. */
function wordsIn(data: string | null | undefined): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data ?? ''), (letter) => letter.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function searchResultParts(block: ContentBlock, path: string, options: PartOptions): readonly Part[] {
  const { title, source, content } = block
  const head = [title, source].filter((text) => typeof text === 'string').join('\n')
  return [textPart(head), ...(isBlocks(content) ? toParts(content, `${path}.content`, options) : [])]
}

function dataUrl(type: string, data: string): string {
  return `data:${type};base64,${data}`
}
