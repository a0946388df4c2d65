import { type NativeSearchInput, nativeSearch } from '../../../api/dialects/native/search.ts'
import { Refusal } from '../../../api/http/refusal.ts'
import { validate } from '../../../api/http/validate.ts'
import { sourcesOf } from '../../../domain/answer.ts'
import { safeSearchLevels } from '../../../executor/backends/searxng/facts.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Shell } from '../../shell/shell.ts'
import { fit, safeLine, styleFor, wrap } from '../../shell/terminal.ts'
import { defineCommand, type Invocation, type OptionDefinitions, type OptionValues } from '../command.ts'
import { queryOf, runSearch, searchOptions } from '../run-search.ts'
import { formatOf, formatSources, type NumberedSource } from '../source-formats.ts'

const definitions = {
  count: { short: 'n', hint: 'N', help: 'Maximum number of results, 1 to 20 (10)' },
  freshness: {
    hint: 'SPAN',
    help: 'Published within the last day, week, month or year, or FROMtoTO as YYYY-MM-DD',
    values: ['hour', 'day', 'week', 'month', 'year'],
  },
  category: {
    hint: 'KIND',
    help: 'Only news, academic, finance, videos, images, code or people',
    values: ['news', 'academic', 'finance', 'videos', 'images', 'code', 'people'],
  },
  country: { hint: 'CC', help: 'Prefer pages for this country: DE' },
  language: { hint: 'LANG', help: 'Prefer pages in this language: en, pt-br' },
  safesearch: { hint: 'LEVEL', help: 'off, moderate or strict', values: safeSearchLevels },
  includeDomains: { hint: 'SITES', help: 'Only pages of these sites, with commas between them' },
  excludeDomains: { hint: 'SITES', help: 'No pages of these sites' },
  page: { hint: 'N', help: 'Which page of results, from 1' },
  all: { short: 'a', help: 'List all that was found, also more than the number of results' },
  ...searchOptions,
  json: { help: 'Print JSON, as /v1/search does; the same as -f json' },
} satisfies OptionDefinitions

/** `csp search`: a list of pages. */
export const search = defineCommand({
  name: 'search',
  usage: 'QUERY [FLAGS]',
  summary: 'Search the web and list the results',
  details: 'A QUERY of - is read from standard input. The answer cache is the one that csp serve uses.',
  examples: [
    'csp search "bun 1.4 release notes"',
    'csp search -n 3 --freshness week --json hono',
    'csp search hono --open 1',
    'csp search hono -f urls | xargs -n 1 csp fetch',
    'echo hono | csp search -',
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runCommand,
})

async function runCommand(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options } = invocation
  const input = inputFrom(await queryOf(invocation), options)
  const format = formatOf(options)
  return runSearch(invocation, {
    request: dialect.parse(input, {}),
    options,
    show(answer, { createdAt, elapsedMs }) {
      const reply = { id: crypto.randomUUID(), createdAt, elapsedMs, input }
      if (format === 'json') return `${JSON.stringify(dialect.format(answer, reply), null, 2)}\n`
      const numbered = sourcesOf(answer.searches).map((source, index) => ({ ...source, number: index + 1 }))
      const shown = options.all ? numbered : numbered.slice(0, input.count ?? 10)
      return format === 'text' ? listOf(shown, shell) : formatSources(shown, format)
    },
  })
}

/** The dialect of `/v1/search`, so that both reject the same requests, share cached answers and print the same JSON. */
const dialect = nativeSearch('query')

function inputFrom(query: string, options: OptionValues<typeof definitions>): NativeSearchInput {
  try {
    const { count, freshness, category, country, language, safesearch, page } = options
    const domains = { include_domains: options.includeDomains, exclude_domains: options.excludeDomains }
    const filters = { freshness, category, country, language, safesearch, ...domains }
    return validate(dialect.schema, { q: query, count, page, ...filters })
  } catch (error) {
    throw error instanceof Refusal ? new UsageError(`csp search: ${inFlags(error)}`) : error
  }
}

/** What is wrong, with the flags in place of the fields of `/v1/search`. */
function inFlags({ message, issues }: Refusal): string {
  const names = issues.flatMap(({ path: [name] }) => (typeof name === 'string' && name !== 'q' ? [name] : []))
  const flags: Readonly<Record<string, string>> = { count: '-n, --count' }
  return names.reduce((text, name) => text.replace(`${name}:`, `${flags[name] ?? `--${name}`}:`), message)
}

function listOf(results: readonly NumberedSource[], shell: Shell): string {
  if (results.length === 0) return 'Nothing was found.\n'
  const { bold, dim, hasLinks, link } = styleFor(shell.output.isTerminal, shell.environment)
  const indent = '    '
  const width = Math.min(shell.output.columns, 100)
  const items = results.map(({ number, title, url, publishedAt, snippet }) => {
    const head = wrap(safeLine(title), width, indent).slice(indent.length)
    const address = safeLine(url)
    const excerpt = [publishedAt, snippet && safeLine(snippet)].filter(Boolean).join('  ')
    return [
      bold(`${`${number}.`.padEnd(indent.length)}${link(head, address)}`),
      `${indent}${dim(link(hasLinks ? fit(address, width - indent.length) : address, address))}`,
      ...(excerpt ? [wrap(excerpt, width, indent)] : []),
    ].join('\n')
  })
  return `${items.join('\n\n')}\n`
}
