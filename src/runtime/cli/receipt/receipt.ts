import { passagesOf as shownOf } from '@csp/evidence/evidence'
import { passageFinder } from '@csp/evidence/has-passage'
import { sha256 } from '@csp/lib/bytes'
import { momentOf } from '@csp/lib/times'
import type { Page } from '@csp/page-reader/page'
import { PageError } from '@csp/page-reader/page-error'
import { receiptHtml } from '../../../api/endpoints/receipts/html.ts'
import { receiptMarkdown } from '../../../api/endpoints/receipts/markdown.ts'
import { receiptJson, receiptRow } from '../../../api/endpoints/receipts/receipts.ts'
import type { OwnedReceipt, Receipt, ReceiptSource } from '../../../domain/receipt.ts'
import { requireStateFolder } from '../../config/formats.ts'
import { CommandError, UsageError } from '../../config/usage-error.ts'
import { createLedger, openReceipts } from '../../server/accounts.ts'
import { openPages } from '../../server/open-pages.ts'
import { linesText, prettyJson, tableText } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'
import { oneOffOptions, runOneOff } from '../one-off.ts'

const definitions = {
  again: { help: 'Read the cited pages again, and say what has changed' },
  html: { help: 'Print one HTML file with the texts of the pages; it opens anywhere' },
  limit: { short: 'n', hint: 'N', parse: wholeNumber(1, 10_000), help: 'Receipts in the list (20)' },
  ...oneOffOptions,
  json: { help: 'Print JSON, as /v1/receipts does' },
} satisfies OptionDefinitions

/** `csp receipt`: what written answers rested on. */
export const receipt = defineCommand({
  name: 'receipt',
  usage: '[ID] [FLAGS]',
  details:
    'Prints Markdown: the question, the answer, the verdict on each sentence, and the sources with their passages. The id of a receipt is in the reply: in the header x-csp-receipt, or as receipt in the body. --again ends with 0 if every cited passage is still there, otherwise with 1.',
  examples: [`${csp} receipt`, `${csp} receipt ID --html > receipt.html`, `${csp} receipt ID --again`],
  options: definitions,
  arguments: { minimum: 0, maximum: 1 },
  run: runReceipt,
})

async function runReceipt(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const [id] = invocation.arguments
  requireStateFolder(loaded.config.stateDir)
  const receipts = openReceipts(loaded.config.stateDir)
  if (id === undefined) {
    if (options.again || options.html) throw new UsageError(`Name a receipt: ${csp} receipt lists the last ones.`)
    const { receipts: last } = await receipts.list({ limit: options.limit ?? 20 })
    shell.output.write(options.json ? prettyJson(last.map(receiptRow)) : listOf(last, shell.output.columns))
    return exitCodes.done
  }
  const found = await receipts.read(id)
  if (!found) throw new CommandError(`There is no receipt ${JSON.stringify(id)}; it may have been deleted.`)
  if (options.again) return again(found, invocation)
  const text = options.json
    ? prettyJson(receiptJson(found))
    : options.html
      ? await receiptHtml(found)
      : receiptMarkdown(found)
  shell.output.write(text)
  return exitCodes.done
}

function listOf(receipts: readonly OwnedReceipt[], columns: number): string {
  if (receipts.length === 0)
    return 'There are no receipts. A written answer whose pages were read, or quoted by the search, leaves one; those of the sandbox are temporary.\n'
  const rows = receipts.map(receiptRow).map(({ id, time, question, verdicts }) => {
    const counts = Object.entries(verdicts).flatMap(([verdict, count]) => (count > 0 ? `${count} ${verdict}` : []))
    return [momentOf(time), id, counts.join(', '), safeLine(question)]
  })
  return tableText(rows, columns)
}

async function again(found: OwnedReceipt, { shell, loaded, options }: Invocation<typeof definitions>) {
  const { config } = loaded
  const pages = openPages(config, () => config.cacheDir, createLedger(config.stateDir))
  // They were found by a search, so `--pages search` lets them be read.
  const reader = pages.forSearches
  if (!reader) throw new UsageError('Pages cannot be read: --pages off (CSP_PAGES) is set.')
  let stands = true
  const code = await runOneOff(
    { shell, loaded },
    options.quiet,
    async ({ signal, progress, print, atEnd }) => {
      atEnd(() => pages.close())
      progress.show('Reading')
      // In the way in which pages are read for answers, so that equal pages have equal texts.
      const sources = await readAgain(found, (url) =>
        reader.read({ url, isRough: true }, { signal, cache: 'no-cache' }),
      )
      progress.end()
      stands = sources.every(({ state, gone }) => state !== 'unreachable' && gone.length === 0)
      print(
        options.json
          ? prettyJson({ object: 'receipt.again', id: found.id, stands, sources })
          : sources.map(lines).join(''),
      )
    },
    (error) => {
      if (!(error instanceof PageError)) throw error
      return { message: error.message, code: exitCodes.interrupted }
    },
  )
  return code === exitCodes.done && !stands ? exitCodes.failed : code
}

/** Reads the cited pages again, and compares them with what the receipt has of them. */
export function readAgain(
  { sources, sentences }: Receipt,
  read: (url: string) => Promise<Page>,
): Promise<readonly SourceAgain[]> {
  const passagesOf = ({ number }: ReceiptSource) =>
    sentences.flatMap((one) => shownOf(one).filter(({ source }) => source === number))
  const cited = sources.filter((source) => source.hash !== undefined || passagesOf(source).length > 0)
  return Promise.all(
    cited.map(async (source) => {
      const { number, url, hash, text } = source
      const passages = new Map(passagesOf(source).map((passage) => [passage.text, passage]))
      try {
        const { content } = await read(url)
        if ((await sha256(content)) === hash) return { number, url, state: 'same', gone: [] }
        const has = passageFinder(content)
        const gone = [...passages.values()].filter((passage) => !has(passage, text))
        // Of a page that was not read, only what the search quoted is known.
        const state = hash === undefined && gone.length === 0 ? 'same' : 'changed'
        return { number, url, state, gone: gone.map((passage) => passage.text) }
      } catch (error) {
        if (!(error instanceof PageError) || error.code === 'cancelled') throw error
        return { number, url, state: 'unreachable', gone: [], error: error.message }
      }
    }),
  )
}

/** The changes of a page since it was cited. */
interface SourceAgain {
  readonly number: number
  readonly url: string
  /** `changed`: its text is another one; what was cited may be there still. */
  readonly state: 'same' | 'changed' | 'unreachable'
  /** The cited passages that it has no more. */
  readonly gone: readonly string[]
  /** Why it could not be read. */
  readonly error?: string | undefined
}

function lines({ number, url, state, gone, error }: SourceAgain): string {
  const what = state === 'changed' && gone.length === 0 ? 'changed, what was cited still stands' : state
  return linesText([
    `[${number}] ${safeLine(url)}: ${what}${error ? `: ${safeLine(error)}` : ''}`,
    ...gone.map((passage) => `    gone: ${safeLine(passage)}`),
  ])
}
