import type { Page, PageFormat } from '@csp/page-reader/page'
import { PageError, type PageErrorCode } from '@csp/page-reader/page-error'
import { nativeExtract } from '../../../api/dialects/native/extract.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createLedger } from '../../server/accounts.ts'
import { openPages } from '../../server/open-pages.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { safeLine, styleFor } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, oneOf, wholeNumber } from '../command.ts'
import { type Explained, oneOffOptions, runOneOff } from '../one-off.ts'

const formats = ['markdown', 'md', 'text', 'html', 'urls', 'json'] as const

const definitions = {
  format: {
    short: 'f',
    hint: 'FORMAT',
    help: 'markdown or md, text, html, urls (what the page links to) or json (markdown)',
    values: formats,
    parse: oneOf(formats),
  },
  maxCharacters: {
    short: 'n',
    hint: 'N',
    help: 'Maximum number of characters, cut at the end of a paragraph',
    parse: wholeNumber(1),
  },
  offset: { hint: 'N', help: 'Characters to skip, to continue a long page', parse: wholeNumber(0) },
  language: { hint: 'LANG', help: 'Language to prefer if a page has several: en, pt-br' },
  wholePage: { help: 'Keep navigation, headers and footers' },
  ...oneOffOptions,
  json: { help: 'Print JSON, as /v1/extract does; the same as -f json' },
} satisfies OptionDefinitions

/** `csp fetch`: one page of the web. */
export const fetchCommand = defineCommand({
  name: 'fetch',
  usage: 'URL [FLAGS]',
  details: `Reads HTML, text, JSON and PDF, and costs no search. Pages that are not on the public internet, or that robots.txt forbids, are not read. Pages are kept for an hour. ${csp} serve uses the same cache.`,
  examples: [
    `${csp} fetch https://example.org/`,
    `${csp} fetch https://example.org/long --max-characters 5000 --offset 5000`,
    `${csp} fetch https://example.org/ -f json`,
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: 1 },
  run: runFetch,
})

async function runFetch(invocation: Invocation<typeof definitions>): Promise<number> {
  const {
    shell,
    loaded,
    arguments: [url = ''],
    options,
  } = invocation
  const { config } = loaded
  const pages = openPages(config, () => config.cacheDir, createLedger(config.stateDir))
  const reader = pages.forCallers
  if (!reader) throw new UsageError('Pages cannot be read: --pages off (CSP_PAGES) is set.')
  const isJson = options.json || options.format === 'json'
  const { maxCharacters, offset, language } = options
  const request = { url, format: formatOf(options.format), maxCharacters, offset, language }
  return runOneOff(
    { shell, loaded },
    options.quiet,
    async (frame) => {
      frame.atEnd(() => pages.close())
      frame.progress.show('Reading')
      const found = reader.read({ ...request, mainContentOnly: !options.wholePage }, { signal: frame.signal })
      const page = await found.catch((error) => {
        if (isJson && error instanceof PageError) frame.print(json({ url, error }))
        throw error
      })
      frame.progress.end()
      if (options.format === 'urls') frame.print(page.links.map((link) => `${safeLine(link)}\n`).join(''))
      else frame.print(isJson ? json({ url, page }) : pageText(page, shell))
      if (page.remaining > 0 && !isJson) shell.errors.write(`${rest(page)}\n`)
    },
    explain,
  )
}

function explain(error: unknown): Explained {
  if (!(error instanceof PageError)) throw error
  return { message: error.message, cause: error.cause, code: exitCodeOf[error.code] ?? exitCodes.failed }
}

const exitCodeOf: Partial<Record<PageErrorCode, number>> = {
  'invalid-url': exitCodes.usage,
  cancelled: exitCodes.interrupted,
}

/** The format of the content, in what it is printed as. */
function formatOf(format: (typeof formats)[number] | undefined): PageFormat {
  return format === 'text' || format === 'html' ? format : 'markdown'
}

function json(outcome: Parameters<typeof nativeExtract.format>[0][number]): string {
  const input = {
    urls: [outcome.url],
    format: undefined,
    max_characters: undefined,
    offset: undefined,
    query: undefined,
  }
  const reply = { id: crypto.randomUUID(), createdAt: new Date(), elapsedMs: () => 0, input }
  return prettyJson(nativeExtract.format([outcome], reply))
}

/** The content under what is known of the page; HTML alone. */
function pageText(page: Page, shell: Shell): string {
  if (page.format === 'html') return `${page.content}\n`
  const { bold, dim, link } = styleFor(shell.output.isTerminal, shell.environment)
  const { title, author, publishedAt, modifiedAt, finalUrl } = page
  const facts = [link(safeLine(finalUrl), finalUrl), author, publishedAt, modifiedAt && `changed ${modifiedAt}`].filter(
    Boolean,
  )
  return `${[...(title ? [bold(title)] : []), dim(facts.join(' | ')), '', page.content].join('\n')}\n`
}

function rest({ remaining, offset, content }: Page): string {
  return `${remaining} more characters: --offset ${offset + content.length}`
}
