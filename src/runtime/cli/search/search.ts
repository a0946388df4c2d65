import type { NativeSearchInput } from '../../../api/dialects/native/search.ts'
import { sourcesOf } from '../../../domain/answer.ts'
import { duration } from '../../config/setting-types.ts'
import { UsageError } from '../../config/usage-error.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { fit, safeLine, styleFor, wrap } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { withMemory } from '../memory/open.ts'
import { queryOf, runSearch, searchOptions } from '../run-search.ts'
import { dialect, filterOptions, searchInput } from '../search-filters.ts'
import { formatOf, formatSources, type NumberedSource, type SourceFormat } from '../source-formats.ts'

const definitions = {
  count: { short: 'n', hint: 'N', help: 'Results, 1 to 20 (up to 10, as found)' },
  ...filterOptions,
  page: { hint: 'N', help: 'Which page of results, from 1' },
  all: { short: 'a', help: 'List everything found, even beyond -n' },
  memory: { help: 'List pages seen before, without a search' },
  since: {
    hint: 'TIME',
    help: 'With --memory: seen since 2026-11-01 or in 7d',
    parse: sinceOf,
  },
  ...searchOptions,
  json: { help: 'Print JSON, as /v1/search does; the same as -f json' },
} satisfies OptionDefinitions

/** Reads `--since`, as a time of ISO 8601. */
export function sinceOf(text: string): string {
  const seconds = duration(1).safeParse(text).data
  const time =
    seconds === undefined ? Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? text : '') : Date.now() - seconds * 1000
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new UsageError(`--since must be a day such as 2026-11-01 or a span such as 7d, not ${JSON.stringify(text)}`)
}

/** `csp search`: a list of pages. */
export const search = defineCommand({
  name: 'search',
  usage: 'QUERY [FLAGS]',
  details: `With - as QUERY, it is read from standard input. ${csp} serve uses the same cache.`,
  examples: [
    `${csp} search "bun 1.4 release notes"`,
    `${csp} search -n 3 --freshness week --json hono`,
    `${csp} search hono -f urls | xargs -n 1 ${csp} fetch`,
    `echo hono | ${csp} search -`,
    `${csp} search --memory hono --since 7d`,
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runCommand,
})

async function runCommand(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options } = invocation
  const input = searchInput('search', await queryOf(invocation), options, { count: options.count, page: options.page })
  const format = formatOf(options)
  if (options.memory) {
    const { page, all, fresh, open } = options
    if (page !== undefined || all || fresh || open !== undefined)
      throw new UsageError('--memory cannot be combined with --page, --all, --fresh or --open.')
    return searchMemory(invocation, input, format)
  }
  if (options.since !== undefined) throw new UsageError('--since needs --memory.')
  return runSearch(invocation, {
    request: dialect.parse(input, {}),
    options,
    show(answer, { createdAt, elapsedMs, cache }) {
      const reply = { id: crypto.randomUUID(), createdAt, elapsedMs, input, cache }
      if (format === 'json') return prettyJson(dialect.format(answer, reply))
      const numbered = sourcesOf(answer.searches).map((source, index) => ({ ...source, number: index + 1 }))
      const shown = options.all ? numbered : numbered.slice(0, input.count ?? 10)
      return format === 'text' ? listOf(shown, shell) : formatSources(shown, format)
    },
  })
}

/** `csp search --memory`: a list of pages that csp has seen, without a search and without network. */
function searchMemory(
  { shell, loaded, options }: Invocation<typeof definitions>,
  input: NativeSearchInput,
  format: SourceFormat,
): number {
  const createdAt = new Date()
  const { query, filters } = dialect.parse(input, {})
  const results = withMemory(loaded.config, [], (file) =>
    file.recall({ query, filters, limit: input.count ?? 10, seenAfter: options.since }),
  )
  const numbered = results.map((result, index) => ({ ...result, number: index + 1 }))
  const isEmpty = results.length === 0 && withMemory(loaded.config, true, (file) => file.stats().pages === 0)
  if (isEmpty) shell.errors.write(wrapped(`${nothingKept(loaded.config.memory === 'off')}\n`, shell.errors))
  if (format === 'text') shell.output.write(listOf(numbered, shell))
  else if (format !== 'json') shell.output.write(formatSources(numbered, format))
  else {
    const usage = { searches: 0, inputTokens: 0, outputTokens: 0 }
    const searches = [{ id: 'memory-1', query, results }]
    const found = { text: '', searches, citations: [], toolCalls: [], reason: 'stop', usage, model: 'memory' } as const
    const reply = { id: crypto.randomUUID(), createdAt, elapsedMs: () => Date.now() - createdAt.getTime(), input }
    shell.output.write(prettyJson(dialect.format({ ...found, backend: 'memory' }, reply)))
  }
  return exitCodes.done
}

/** The advice if there is nothing to recall. */
function nothingKept(isOff: boolean): string {
  const how = 'csp keeps the pages that its searches find and that it reads, none of the sandbox'
  return isOff
    ? `Nothing is kept: memory is off. With --memory on, ${how}.`
    : `Nothing has been kept yet: ${how}. Make a search first: ${csp} search "…"`
}

/** Pages as a terminal shows them. */
export function listOf(results: readonly NumberedSource[], shell: Shell): string {
  if (results.length === 0) return 'Nothing was found.\n'
  const { bold, dim, hasLinks, link } = styleFor(shell.output.isTerminal, shell.environment)
  const indent = '    '
  const width = Math.min(shell.output.columns, 100)
  const items = results.map(({ number, title, url, publishedAt, seenAt, snippet }) => {
    const head = wrap(safeLine(title), width, indent).slice(indent.length)
    const address = safeLine(url)
    const seen = seenAt && `[seen ${seenAt.slice(0, 10)}]`
    const excerpt = [publishedAt, seen, snippet && safeLine(snippet)].filter(Boolean).join('  ')
    return [
      bold(`${`${number}.`.padEnd(indent.length)}${link(head, address)}`),
      `${indent}${dim(link(hasLinks ? fit(address, width - indent.length) : address, address))}`,
      ...(excerpt ? [wrap(excerpt, width, indent)] : []),
    ].join('\n')
  })
  return `${items.join('\n\n')}\n`
}
