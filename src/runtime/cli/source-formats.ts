import { escapedMarkdown, markdownAddress } from '../../api/exchange/markdown-text.ts'
import type { SearchResult } from '../../domain/search.ts'
import { safeLine } from '../shell/terminal.ts'
import { type OptionDefinitions, oneOf } from './command.ts'

const formats = ['text', 'md', 'tsv', 'urls', 'json'] as const
/** How a list of pages is printed. */
export type SourceFormat = (typeof formats)[number]

/** Flags of the commands that print pages. */
export const formatOptions = {
  format: {
    short: 'f',
    hint: 'FORMAT',
    help: 'text, md, tsv (URL, title, date, excerpt), urls or json (text)',
    values: formats,
    parse: oneOf(formats),
  },
  json: { help: 'The same as -f json' },
} satisfies OptionDefinitions

/** The format that the flags name. */
export function formatOf(options: { readonly format: SourceFormat | undefined; readonly json: boolean }): SourceFormat {
  return options.json ? 'json' : (options.format ?? 'text')
}

/** A page, with the number that it goes by. */
export type NumberedSource = Pick<SearchResult, 'title' | 'url' | 'snippet' | 'publishedAt' | 'seenAt'> & {
  readonly number: number
}

/** The pages as Markdown, as lines of four columns, or as addresses alone. */
export function formatSources(sources: readonly NumberedSource[], format: 'md' | 'tsv' | 'urls'): string {
  return sources.map((source) => `${lineOf[format](source)}\n`).join('')
}

const lineOf = {
  urls: ({ url }: NumberedSource) => safeLine(url),
  tsv: ({ url, title, publishedAt, snippet }: NumberedSource) =>
    [url, title, publishedAt ?? '', snippet ?? ''].map((text) => cellOf(safeLine(text))).join('\t'),
  md({ number, title, url, publishedAt, snippet }: NumberedSource) {
    const about = [publishedAt, snippet].filter(Boolean).map((text) => escapedMarkdown(text ?? ''))
    return [
      `${number}. [${escapedMarkdown(title)}](${markdownAddress(safeLine(url))})`,
      ...(about.length > 0 ? [`   ${about.join(': ')}`] : []),
    ].join('\n')
  },
}

/**
 * Spreadsheets run a cell that begins as a formula, unless an apostrophe stands before it. A quotation mark there would
 * hide one, or take what follows up to the next one into the cell.
 */
function cellOf(text: string): string {
  return /^\s*["=+@＝＋－＠-]/.test(text) ? `'${text}` : text
}
