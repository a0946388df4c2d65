import { nativeExtract } from '../../../api/dialects/native/extract.ts'
import { type Page, PageError, type PageErrorCode, type PageFormat } from '../../../domain/page.ts'
import { whenAborted } from '../../../lib/abort.ts'
import { openPages } from '../../bun/open-pages.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createLog } from '../../log/log.ts'
import { interruption, type Shell } from '../../shell/shell.ts'
import { progress, safeLine, styleFor } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'

const formats: readonly PageFormat[] = ['markdown', 'text', 'html']

const definitions = {
  format: { hint: 'FORMAT', help: 'markdown, text or html (markdown)', parse: formatFrom },
  maxCharacters: {
    short: 'n',
    hint: 'N',
    help: 'At most so many characters, up to the end of a paragraph',
    parse: wholeNumber(1),
  },
  offset: { hint: 'N', help: 'Characters to skip, to read on', parse: wholeNumber(0) },
  language: { hint: 'LANG', help: 'Language to prefer, where a page has several: en, pt-br' },
  wholePage: { help: 'Keep navigation, headers and footers' },
  json: { help: 'Print JSON, as /v1/extract does' },
} satisfies OptionDefinitions

/** `csp fetch`: one page of the web. */
export const fetchCommand = defineCommand({
  name: 'fetch',
  usage: 'URL [FLAGS]',
  summary: 'Read one page of the web as Markdown',
  details:
    'Reads HTML, text, JSON and PDF, and costs no search. Pages that are not on the public internet, or that robots.txt closes, are not read. Pages are kept for an hour; the cache is the one that csp serve uses.',
  examples: [
    'csp fetch https://example.org/',
    'csp fetch https://example.org/long --max-characters 5000 --offset 5000',
    'csp fetch https://example.org/ --json',
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: 1 },
  run: runFetch,
})

async function runFetch({ shell, loaded, arguments: [url = ''], options }: Invocation<typeof definitions>) {
  const { config, origins } = loaded
  const log = createLog(origins.logLevel === 'default' ? 'error' : config.logLevel, shell.errors, config.logFormat)
  for (const warning of loaded.warnings) shell.errors.write(`${warning}\n`)
  const pages = openPages(config, () => config.cacheDir)
  if (!pages.forCallers) throw new UsageError('No page may be read here: --pages off (CSP_PAGES) is set.')
  const stop = interruption(shell)
  const done = progress(shell.errors, 'Reading')
  try {
    const { format, maxCharacters, offset, language } = options
    const request = { url, format, maxCharacters, offset, language, mainContentOnly: !options.wholePage }
    const page = await pages.forCallers.read(request, { signal: stop.first })
    done()
    shell.output.write(options.json ? json({ url, page }) : textOf(page, shell))
    if (page.remaining > 0 && !options.json) shell.errors.write(`${rest(page)}\n`)
    return exitCodes.done
  } catch (error) {
    done()
    if (!(error instanceof PageError)) throw error
    if (options.json) shell.output.write(json({ url, error }))
    shell.errors.write(`${safeLine(error.message)}\n`)
    if (error.cause) log('debug', `because: ${error.cause}`)
    return exitCodeOf[error.code] ?? exitCodes.failed
  } finally {
    await Promise.race([pages.close(), whenAborted(stop.again)])
    stop.end()
  }
}

const exitCodeOf: Partial<Record<PageErrorCode, number>> = {
  'invalid-url': exitCodes.usage,
  cancelled: exitCodes.interrupted,
}

function formatFrom(text: string): PageFormat {
  const format = formats.find((known) => known === text)
  if (format) return format
  throw new UsageError(`--format must be one of: ${formats.join(', ')}, not ${JSON.stringify(text)}`)
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
  return `${JSON.stringify(nativeExtract.format([outcome], reply), null, 2)}\n`
}

/** The content under what is known of the page; HTML alone. */
function textOf(page: Page, shell: Shell): string {
  if (page.format === 'html') return `${page.content}\n`
  const { bold, dim } = styleFor(shell.output.isTerminal, shell.environment)
  const { title, author, publishedAt, modifiedAt, finalUrl } = page
  const facts = [safeLine(finalUrl), author, publishedAt, modifiedAt && `changed ${modifiedAt}`].filter(Boolean)
  return `${[...(title ? [bold(title)] : []), dim(facts.join(' | ')), '', page.content].join('\n')}\n`
}

function rest({ remaining, offset, content }: Page): string {
  return `${remaining} more characters: --offset ${offset + content.length}`
}
