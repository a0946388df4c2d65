import { concernsOf, type Evidence, evidenceInWords, passagesOf, unseenText } from '@csp/evidence/evidence'
import { plainText } from '@csp/lib/text'
import { sandboxNotice } from '../../../domain/health.ts'
import type { Receipt, ReceiptSource } from '../../../domain/receipt.ts'
import { escapedMarkdown, markdownAddress } from '../../exchange/markdown-text.ts'

/** A receipt to read, with the passages, without the texts of the pages. */
export function receiptMarkdown(receipt: Receipt): string {
  const { question, answer, sentences, sources } = receipt
  return [
    `# ${escapedMarkdown(question)}`,
    receiptFacts(receipt).map(escapedMarkdown).join(' | '),
    plainText(answer).trim(),
    ...(sentences.length > 0
      ? ['## Sentences', escapedMarkdown(evidenceInWords(sentences)), sentences.map(sentenceLines).join('\n')]
      : []),
    '## Sources',
    `${sources.map(sourceLines).join('\n')}\n`,
  ].join('\n\n')
}

/** What is known of a receipt besides its texts. */
export function receiptFacts({ id, time, model, strategy, backend, sandbox }: Receipt): readonly string[] {
  return [
    ...(sandbox ? [sandboxNotice] : []),
    ...[time, model, strategy, ...(backend ? [backend] : []), `receipt ${id}`],
  ]
}

/** The verdict of a sentence in words. */
export function verdictText({ verdict, score, reason, ...concerns }: Evidence): string {
  const lacks = [...concernsOf(concerns), unseenText(concerns)]
    .filter((concern) => concern !== '')
    .map((concern) => `; ${concern}`)
    .join('')
  return `${verdict} ${reason ? `(${reason})` : score}${lacks}`
}

function sentenceLines(one: Evidence): string {
  const { sentence, sources } = one
  const head = `- ${escapedMarkdown(sentence)} ${sources.map((number) => `[${number}]`).join('')}\n  - ${escapedMarkdown(verdictText(one))}`
  const shown = passagesOf(one).map(({ text, source }) => `  > ${escapedMarkdown(text)} [${source}]`)
  return [head, ...shown.flatMap((line, place) => (place > 0 ? ['', line] : line))].join('\n')
}

function sourceLines({ number, url, title, date, hash, passages }: ReceiptSource): string {
  return [
    `${number}. [${escapedMarkdown(title)}](${markdownAddress(url)})`,
    ...(date ? [`   - published ${escapedMarkdown(date)}`] : []),
    ...(hash ? [`   - SHA-256 of its text: ${hash}`] : []),
    ...passages.map((passage) => `   > ${escapedMarkdown(passage)}\n`),
  ].join('\n')
}
