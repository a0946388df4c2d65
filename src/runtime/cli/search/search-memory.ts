import type { NativeSearchInput } from '../../../api/dialects/native/search.ts'
import { duration } from '../../config/setting-types.ts'
import { UsageError } from '../../config/usage-error.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { type Call, exitCodes } from '../command.ts'
import { withMemory } from '../memory/open.ts'
import { dialect } from '../search-filters.ts'
import { formatSources, type SourceFormat } from '../source-formats.ts'
import { listOf } from './result-list.ts'

/** What `csp search --memory` is asked for. */
export interface RecalledSearch {
  readonly input: NativeSearchInput
  readonly format: SourceFormat
  /** ISO 8601. */
  readonly seenAfter: string | undefined
}

/** `csp search --memory`: a list of pages that csp has seen, without a search and without network. */
export function searchMemory({ shell, loaded }: Pick<Call, 'shell' | 'loaded'>, search: RecalledSearch): number {
  const { input, format, seenAfter } = search
  const createdAt = new Date()
  const { query, filters } = dialect.parse(input, {})
  const results = withMemory(loaded.config, [], (file) =>
    file.recall({ query, filters, limit: input.count ?? 10, seenAfter }),
  )
  const numbered = results.map((result, index) => ({ ...result, number: index + 1 }))
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
  const how = 'csp keeps the pages that its searches find and that it reads, none of the sandbox'
  return isOff
    ? `Nothing is kept: memory is off. With --memory on, ${how}.`
    : `Nothing has been kept yet: ${how}. Make a search first: ${csp} search "…"`
}

/** Reads `--since`. */
export function sinceOf(text: string): string {
  const seconds = duration(1).safeParse(text).data
  const time =
    seconds === undefined ? Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? text : '') : Date.now() - seconds * 1000
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new UsageError(`--since must be a day such as 2026-11-01 or a span such as 7d, not ${JSON.stringify(text)}`)
}
