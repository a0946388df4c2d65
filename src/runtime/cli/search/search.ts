import { sourcesOf } from '../../../domain/answer.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { fit, safeLine, styleFor, wrap } from '../../shell/terminal.ts'
import { defineCommand, type Invocation, type OptionDefinitions } from '../command.ts'
import { queryOf, runSearch, searchOptions } from '../run-search.ts'
import { dialect, filterOptions, searchInput } from '../search-filters.ts'
import { formatOf, formatSources, type NumberedSource } from '../source-formats.ts'

const definitions = {
  count: { short: 'n', hint: 'N', help: 'Maximum number of results, 1 to 20 (what one search finds, 10 at most)' },
  ...filterOptions,
  page: { hint: 'N', help: 'Which page of results, from 1' },
  all: { short: 'a', help: 'List all that was found, also more than the number of results' },
  ...searchOptions,
  json: { help: 'Print JSON, as /v1/search does; the same as -f json' },
} satisfies OptionDefinitions

/** `csp search`: a list of pages. */
export const search = defineCommand({
  name: 'search',
  usage: 'QUERY [FLAGS]',
  details: `A QUERY of - is read from standard input. The answer cache is the one that ${csp} serve uses; --fresh searches again.`,
  examples: [
    `${csp} search "bun 1.4 release notes"`,
    `${csp} search -n 3 --freshness week --json hono`,
    `${csp} search hono --open 1`,
    `${csp} search hono -f urls | xargs -n 1 ${csp} fetch`,
    `echo hono | ${csp} search -`,
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runCommand,
})

async function runCommand(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options } = invocation
  const input = searchInput('search', await queryOf(invocation), options, { count: options.count, page: options.page })
  const format = formatOf(options)
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
