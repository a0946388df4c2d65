import { type NativeSearchInput, nativeSearch } from '../../../api/dialects/native/search.ts'
import { Refusal } from '../../../api/http/refusal.ts'
import { validate } from '../../../api/http/validate.ts'
import { collect, sourcesOf } from '../../../domain/answer.ts'
import type { SearchResult } from '../../../domain/search.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Shell } from '../../shell/shell.ts'
import { safeLine, styleFor, wrap } from '../../shell/terminal.ts'
import { defineCommand, type Invocation, type OptionDefinitions, type OptionValues } from '../command.ts'
import { queryOf, runSearch } from '../run-search.ts'

const definitions = {
  count: { short: 'n', hint: 'N', help: 'Maximum number of results, 1 to 20 (10)' },
  freshness: { hint: 'SPAN', help: 'Published within the last day, week, month or year, or FROMtoTO as YYYY-MM-DD' },
  category: { hint: 'KIND', help: 'Only news, academic, finance, videos, images, code or people' },
  country: { hint: 'CC', help: 'Prefer pages for this country: DE' },
  language: { hint: 'LANG', help: 'Prefer pages in this language: en, pt-br' },
  safesearch: { hint: 'LEVEL', help: 'off, moderate or strict' },
  includeDomains: { hint: 'SITES', help: 'Only pages of these sites, with commas between them' },
  excludeDomains: { hint: 'SITES', help: 'No pages of these sites' },
  page: { hint: 'N', help: 'Which page of results, from 1' },
  json: { help: 'Print JSON, as /v1/search does' },
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
    'echo hono | csp search -',
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runCommand,
})

async function runCommand(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options } = invocation
  const input = inputFrom(await queryOf(invocation), options)
  return runSearch(invocation, async ({ executor, signal, createdAt, elapsedMs, endProgress }) => {
    const answer = await collect(executor.search(dialect.parse(input, {}), { signal }))
    const reply = { id: crypto.randomUUID(), createdAt, elapsedMs, input }
    endProgress()
    shell.output.write(
      options.json
        ? `${JSON.stringify(dialect.format(answer, reply), null, 2)}\n`
        : listOf(sourcesOf(answer.searches).slice(0, input.count ?? 10), shell),
    )
  })
}

/** The dialect of `/v1/search`, so that both reject the same requests, share cached answers and print the same JSON. */
const dialect = nativeSearch('query')

function inputFrom(
  query: string,
  { includeDomains, excludeDomains, json: _, ...options }: OptionValues<typeof definitions>,
): NativeSearchInput {
  try {
    const domains = { include_domains: includeDomains, exclude_domains: excludeDomains }
    return validate(dialect.schema, { q: query, ...options, ...domains })
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

function listOf(results: readonly SearchResult[], shell: Shell): string {
  if (results.length === 0) return 'Nothing was found.\n'
  const { bold, dim } = styleFor(shell.output.isTerminal, shell.environment)
  const indent = '    '
  const width = Math.min(shell.output.columns, 100)
  const items = results.map(({ title, url, publishedAt, snippet }, index) => {
    const number = `${index + 1}.`.padEnd(indent.length)
    const excerpt = [publishedAt, snippet && safeLine(snippet)].filter(Boolean).join('  ')
    return [
      bold(`${number}${wrap(safeLine(title), width, indent).trimStart()}`),
      `${indent}${dim(safeLine(url))}`,
      ...(excerpt ? [wrap(excerpt, width, indent)] : []),
    ].join('\n')
  })
  return `${items.join('\n\n')}\n`
}
