import { hostOf } from '../../../lib/url.ts'
import { duration } from '../../config/setting-types.ts'
import { UsageError } from '../../config/usage-error.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'
import { withMemory } from '../memory/open.ts'
import { queryOf } from '../run-search.ts'
import { listOf } from '../search/search.ts'
import { dialect, searchInput } from '../search-filters.ts'
import { formatOf, formatOptions, formatSources } from '../source-formats.ts'

const definitions = {
  count: { short: 'n', hint: 'N', help: 'Maximum number of results, 1 to 20 (10)', parse: wholeNumber(1, 20) },
  since: {
    hint: 'TIME',
    help: 'Only what csp saw since a day (2026-11-01) or within a span (12h, 7d)',
    parse: sinceOf,
  },
  site: { hint: 'SITES', help: 'Only pages of these sites, with commas between them', parse: sitesOf },
  language: { hint: 'LANG', help: 'Only pages in this language: en, pt-br' },
  ...formatOptions,
  json: { help: 'Print JSON, as /v1/search does; the same as -f json' },
} satisfies OptionDefinitions

/** `csp recall`: a list of pages that csp has seen. */
export const recall = defineCommand({
  name: 'recall',
  usage: 'QUERY [FLAGS]',
  details: `Makes no search and needs no network. ${csp} memory says what is kept, and forgets it.`,
  examples: [`${csp} recall "heat pumps in the cold"`, `${csp} recall hono --since 7d --site github.com --json`],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runRecall,
})

async function runRecall(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const { site: includeDomains, language, count = 10, since: seenAfter } = options
  const createdAt = new Date()
  const input = searchInput('recall', await queryOf(invocation), {}, { count: String(count), language })
  const { query, filters } = dialect.parse(input, {})
  const results = withMemory(loaded.config, [], (file) =>
    file.recall({ query, filters: { ...filters, includeDomains }, limit: count, seenAfter }),
  )
  const numbered = results.map((result, index) => ({ ...result, number: index + 1 }))
  const format = formatOf(options)
  const isEmpty = results.length === 0 && withMemory(loaded.config, true, (file) => file.stats().pages === 0)
  if (isEmpty) shell.errors.write(`${nothingKept(loaded.config.memory === 'off')}\n`)
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

/** What to do where there is nothing to recall. */
function nothingKept(isOff: boolean): string {
  const how = 'csp keeps the pages that its searches find and that it reads'
  return isOff
    ? `Nothing is kept: memory is off. With --memory on, ${how}.`
    : `Nothing has been kept yet: ${how}. Make a search first: ${csp} search "…"`
}

function sitesOf(text: string): readonly string[] {
  const sites = text.split(',').map(hostOf).filter(Boolean)
  if (sites.length > 0) return sites
  throw new UsageError(`--site must be sites such as github.com, with commas between them, not ${JSON.stringify(text)}`)
}

function sinceOf(text: string): string {
  const seconds = duration(1).safeParse(text).data
  const time =
    seconds === undefined ? Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? text : '') : Date.now() - seconds * 1000
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new UsageError(`--since must be a day such as 2026-11-01 or a span such as 7d, not ${JSON.stringify(text)}`)
}
