import type { MessagesRequest } from '@csp/messages-api/request'
import type { Block } from '../library/blocks.ts'
import { isKnown, sentencesFor } from '../library/find.ts'
import { catalogue, type KnownPage, pageAt } from '../library/library.ts'
import { askedIn, asksForMarkdown, questionsOf } from '../messages-request.ts'
import { markdownLink, type Part } from './model-text.ts'

/** A part with a link to its page behind it. Its label is no title, which would be read as words of the sentence. */
export function linked({ text, page }: Part): string {
  return page ? `${text} ${markdownLink({ ...page, title: 'source' })}` : text
}

/** What to search for: the question, or with the one before it where it only makes sense after that. */
export function queryFor(request: MessagesRequest, { library }: { readonly library?: boolean | undefined }): string {
  const query = library ? querySaid(request) : askedIn(request)
  return query.replace(/\s+/g, ' ')
}

function querySaid(request: MessagesRequest): string {
  const [question = '', ...earlier] = questionsOf(request)
  const known = isKnown(question) ? undefined : earlier.find(isKnown)
  return known === undefined ? question : `${question} ${known}`
}

interface FoundAt {
  readonly url: string
}

/** An answer made of sentences of the library's pages. `undefined` if none of the pages is the library's. */
export function writtenFrom(found: readonly FoundAt[], request: MessagesRequest): readonly Part[] | undefined {
  const pages = libraryPages(found)
  const [lead, second, ...others] = pages
  if (!lead) return undefined
  if (lead === catalogue) return nothingKnown
  const query = querySaid(request)
  const first = [...new Set([firstOf(lead), ...sentencesFor(lead, query, 3)])].slice(0, 3)
  const more = [
    ...(second ? statements(second, sentencesFor(second, query, 2)) : []),
    ...others.slice(0, 2).flatMap((page) => statements(page, sentencesFor(page, query, 1, 2))),
  ]
  const invented = more.length > 0 ? [statement(lead, inventedSentence)] : []
  if (!asksForMarkdown(request)) {
    const paragraphs = [statements(lead, first), more, invented].filter(({ length }) => length > 0)
    return [opening, ...paragraphs.flatMap((parts) => [gap, ...inARow(parts)])]
  }
  return [
    ...[opening, { text: `\n\n## ${lead.heading}\n\n` }, ...inARow(statements(lead, first))],
    ...lead.blocks
      .filter(isTable)
      .slice(0, 1)
      .flatMap((table) => tableParts(lead, table)),
    ...(more.length > 0 ? [{ text: '\n\n**More on it**\n' }] : []),
    ...[...more, ...invented].flatMap((part) => [{ text: '\n- ' }, part]),
  ]
}

/** A report: the answer in short, then a section for each page. */
export function reportFrom(found: readonly FoundAt[], request: MessagesRequest): readonly Part[] | undefined {
  const pages = libraryPages(found)
  const [lead] = pages
  if (!lead) return undefined
  if (lead === catalogue) return nothingKnown
  return [
    ...[opening, gap, ...inARow(pages.slice(0, 3).map((page) => statement(page, firstOf(page))))],
    ...pages.flatMap((page) => [
      { text: `\n\n## ${page.heading}\n\n` },
      ...inARow(statements(page, sentencesFor(page, querySaid(request), 5))),
      ...page.blocks
        .filter(isTable)
        .slice(0, 1)
        .flatMap((table) => tableParts(page, table)),
    ]),
    ...[gap, statement(lead, inventedSentence)],
  ]
}

/** The first sentence of such an answer, for a value that has room for no more. */
export function briefly(found: readonly FoundAt[], request: MessagesRequest): string | undefined {
  const [lead] = libraryPages(found)
  return lead && sentencesFor(lead, querySaid(request), 1)[0]
}

/** On no page, so that it can be seen what csp says of such a sentence. docs/sandbox.md names it. */
export const inventedSentence = 'A survey of 2,417 readers in 2019 came to the same result.'

const opening: Part = { text: 'Sandbox answer, from pages of csp’s own:' }
const gap: Part = { text: '\n\n' }

const nothingKnown: readonly Part[] = [
  ...[opening, gap, { text: 'None of them bears on this question. ' }],
  statement(catalogue, firstOf(catalogue)),
]

function firstOf({ sentences: [first] }: KnownPage): string {
  return first?.text ?? ''
}

/** The catalogue counts only where nothing else was found. */
function libraryPages(found: readonly FoundAt[]): readonly KnownPage[] {
  const pages = [...new Set(found.flatMap(({ url }) => pageAt(url) ?? []))]
  return pages.length > 1 ? pages.filter((page) => page !== catalogue) : pages
}

function statement({ title, url }: KnownPage, text: string): Part {
  return { text, page: { title, url, words: text } }
}

function statements(page: KnownPage, sentences: readonly string[]): readonly Part[] {
  return sentences.map((sentence) => statement(page, sentence))
}

function inARow(parts: readonly Part[]): readonly Part[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [{ text: ' ' }, part]))
}

type Table = Extract<Block, { readonly type: 'table' }>

function isTable(block: Block): block is Table {
  return block.type === 'table'
}

/** The last cell of each row is cited. */
function tableParts(page: KnownPage, { rows }: Table): readonly Part[] {
  const [head = [], ...body] = rows
  const begin = `\n\n| ${head.join(' | ')} |\n|${head.map(() => '---|').join('')}`
  return [
    { text: begin },
    ...body.flatMap((cells) => [
      { text: `\n| ${cells.slice(0, -1).join(' | ')} | ` },
      { text: cells.at(-1) ?? '', page: { ...page, words: cells.join(' ') } },
      { text: ' |' },
    ]),
  ]
}
