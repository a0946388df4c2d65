/** One block of a page's text. */
export type Block =
  | { readonly type: 'paragraph' | 'heading' | 'code'; readonly text: string }
  | { readonly type: 'list'; readonly items: readonly string[] }
  | { readonly type: 'table'; readonly rows: readonly (readonly string[])[] }

/** Splits a page's text into blocks: `LibraryPage.text` has the rules. */
export function blocksOf(text: string): readonly Block[] {
  return text.split(/\n\n/).map((part): Block => {
    const lines = part.split('\n')
    if (part.startsWith('## ')) return { type: 'heading', text: part.slice(3) }
    if (part.startsWith('    ')) return { type: 'code', text: lines.map((line) => line.slice(4)).join('\n') }
    if (part.startsWith('- ')) return { type: 'list', items: lines.map((line) => line.slice(2)) }
    if (part.startsWith('| ')) return { type: 'table', rows: lines.map(cellsOf) }
    return { type: 'paragraph', text: part }
  })
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** A sentence, and the heading that it stands below; empty for the first ones. */
export interface Sentence {
  readonly text: string
  readonly heading: string
}

/** The sentences of paragraphs and lists, in order. */
export function sentencesIn(blocks: readonly Block[]): readonly Sentence[] {
  let heading = ''
  return blocks.flatMap((block) => {
    if (block.type === 'heading') heading = block.text
    return textsIn(block).map((text) => ({ text, heading }))
  })
}

function textsIn(block: Block): readonly string[] {
  if (block.type === 'list') return block.items
  if (block.type !== 'paragraph') return []
  // A sentence that leads to a table or to code says nothing by itself.
  return block.text.split(/(?<=[.!?])\s+(?=\p{Lu})/u).filter((sentence) => !sentence.endsWith(':'))
}

/** A block as HTML. */
export function htmlOf(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h2>${escapeHtml(block.text)}</h2>`
    case 'code':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
    case 'table': {
      const [head = [], ...rows] = block.rows
      const row = (cells: readonly string[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
      return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`
    }
    default:
      return `<p>${escapeHtml(block.text)}</p>`
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
