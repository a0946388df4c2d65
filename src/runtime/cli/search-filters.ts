import { onlyRequest } from '../../api/dialect.ts'
import { type NativeSearchInput, nativeSearchByQuery } from '../../api/dialects/native/search.ts'
import { invalid, Refusal } from '../../api/exchange/refusal.ts'
import { maxCount } from '../../api/fields/lenient.ts'
import { validate } from '../../api/http/validate.ts'
import type { ModelMap } from '../../domain/model.ts'
import type { SearchRequest } from '../../domain/search.ts'
import { safeSearchLevels } from '../../executor/backends/searxng/facts.ts'
import { UsageError } from '../config/usage-error.ts'
import { csp } from '../shell/program.ts'
import { safeLine } from '../shell/terminal.ts'
import type { OptionDefinitions, OptionValues } from './command.ts'

/** Flags that narrow a search, of `csp search` and `csp ask` alike. */
export const filterOptions = {
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
  includeDomains: { hint: 'SITES', help: 'Only pages of these sites: hono.dev,bun.sh' },
  excludeDomains: { hint: 'SITES', help: 'Skip pages of these sites' },
} satisfies OptionDefinitions

/** The dialect of `/v1/search`, so that both reject the same requests, share cached answers and print the same JSON. */
export const dialect = {
  ...nativeSearchByQuery,
  parse: (input: NativeSearchInput, models: ModelMap): SearchRequest =>
    onlyRequest(nativeSearchByQuery.parse(input, models)),
}

/** Reads the filters as `/v1/search` does. `command` is named in a `UsageError`. */
export function searchInput(
  command: string,
  query: string,
  options: Partial<OptionValues<typeof filterOptions>>,
  more: Partial<Readonly<Record<'count' | 'page' | 'language', string | undefined>>> = {},
): NativeSearchInput {
  try {
    // Other than a program, a person reads what is wrong.
    if (Number(more.count) > maxCount)
      throw invalid({ path: ['count'], type: 'less_than_equal', message: 'Too many', input: more.count })
    const { freshness, category, country, language, safesearch } = options
    const domains = { include_domains: options.includeDomains, exclude_domains: options.excludeDomains }
    return validate(dialect.schema, {
      q: query,
      freshness,
      category,
      country,
      language,
      safesearch,
      ...domains,
      ...more,
    })
  } catch (error) {
    throw error instanceof Refusal ? new UsageError(`${csp} ${command}: ${inFlags(error)}`) : error
  }
}

/** The problem, in the words of a command line: `-n must be a number from 1 to 20, not 0.` */
function inFlags({ message, issues }: Refusal): string {
  const said = issues.map(({ path: [name], message: wish, input }) => {
    if (typeof name !== 'string' || name === 'q') return `${wish}.`
    const wanted = ranges[name] ?? wish.replace(/^(?:Input|Value) should /, '')
    const given = typeof input === 'string' ? `, not ${JSON.stringify(safeLine(input).slice(0, maxShown))}` : ''
    return `${name === 'count' ? '-n' : `--${name.replaceAll('_', '-')}`} must ${wanted}${given}.`
  })
  return said.join(' ') || message
}

const ranges: Readonly<Record<string, string>> = {
  count: 'be a number from 1 to 20',
  page: 'be a number from 1 to 20',
}

const maxShown = 60
