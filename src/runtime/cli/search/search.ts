import { sourcesOf } from '../../../domain/answer.ts'
import { UsageError } from '../../config/usage-error.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { defineCommand, type Invocation, type OptionDefinitions } from '../command.ts'
import { queryOf, runSearch, searchOptions } from '../run-search.ts'
import { dialect, filterOptions, searchInput } from '../search-filters.ts'
import { formatOf, formatSources } from '../source-formats.ts'
import { listOf } from './result-list.ts'
import { searchMemory, sinceOf } from './search-memory.ts'

const definitions = {
  count: { short: 'n', hint: 'N', help: 'Results, 1 to 20 (what is found, 10 at most)' },
  ...filterOptions,
  page: { hint: 'N', help: 'Which page of results, from 1' },
  all: { short: 'a', help: 'List all that was found, beyond that number' },
  memory: { help: 'List pages that csp has seen before: no search is made' },
  since: {
    hint: 'TIME',
    help: 'With --memory: seen since 2026-11-01 or in 7d',
    parse: sinceOf,
  },
  ...searchOptions,
  json: { help: 'JSON, as of /v1/search: the same as -f json' },
} satisfies OptionDefinitions

/** `csp search`: a list of pages. */
export const search = defineCommand({
  name: 'search',
  usage: 'QUERY [FLAGS]',
  details: `A QUERY of - is read from standard input. The answer cache is the one that ${csp} serve uses.`,
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
    return searchMemory(invocation, { input, format, seenAfter: options.since })
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
