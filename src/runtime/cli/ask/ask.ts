import { concernsOf, evidenceInWords, isDoubtful } from '@csp/evidence/evidence'
import { guardedText } from '@csp/grounding/answer-guard'
import { counted } from '@csp/lib/text'
import { receiptMarkdown } from '../../../api/endpoints/receipts/markdown.ts'
import { sourcesOf } from '../../../domain/answer.ts'
import { claudeModels } from '../../../domain/claude-models.ts'
import { chooseModel, configuredModels, isKnownModel } from '../../../domain/model.ts'
import { forPeople } from '../../../domain/own-prompts.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { UsageError } from '../../config/usage-error.ts'
import { linesText, prettyJson } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { fit, safe, safeLine, styleFor } from '../../shell/terminal.ts'
import { WrappedText } from '../../shell/wrapped-text.ts'
import { defineCommand, type Invocation, type OptionDefinitions } from '../command.ts'
import { receiptOfAnswer } from '../receipt/of-answer.ts'
import { type OneSearch, queryOf, runSearch, type ShownFrame, searchOptions } from '../run-search.ts'
import { dialect, filterOptions, searchInput } from '../search-filters.ts'
import { formatOf, formatSources } from '../source-formats.ts'

const definitions = {
  model: {
    hint: 'MODEL',
    help: `sonar (fast), sonar-pro, sonar-reasoning (deep), or ${Object.keys(claudeModels).join(', ')}`,
    values: ['sonar', 'sonar-pro', 'sonar-reasoning', ...Object.keys(claudeModels)],
  },
  ...filterOptions,
  receipt: { help: 'Print the evidence of each sentence on the pages it cites, as Markdown' },
  all: { short: 'a', help: 'Also list the pages that the answer does not cite' },
  ...searchOptions,
  json: { help: 'Print JSON when the answer is complete; the same as -f json' },
} satisfies OptionDefinitions

/** `csp ask`: a written answer with its sources. */
export const ask = defineCommand({
  name: 'ask',
  usage: 'QUERY [FLAGS]',
  details: 'With - as QUERY, it is read from standard input. The text appears while it is written.',
  examples: [
    `${csp} ask "who maintains hono?"`,
    `${csp} ask "who maintains hono?" --open 1`,
    `${csp} ask -f md "compare bun and deno" > answer.md`,
    `${csp} ask --receipt "who maintains hono?"`,
    `${csp} ask --fresh --freshness week "what is new in bun?"`,
    `${csp} ask --model sonar-reasoning "compare bun and deno on file watching"`,
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runCommand,
})

async function runCommand(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options } = invocation
  const format = formatOf(options)
  const request = requestFrom(await queryOf(invocation), invocation)
  if (options.receipt) {
    if (format !== 'text') throw new UsageError('--receipt prints Markdown: leave out --format and --json.')
    const show: OneSearch['show'] = (answer, frame) => safe(receiptMarkdown(receiptOfAnswer(answer, request, frame)))
    return runSearch(invocation, { request, options, show })
  }
  if (format === 'text') return runSearch(invocation, { request, options, ...textFor(shell, options.all) })
  return runSearch(invocation, {
    request,
    options,
    show(answer, frame) {
      if (format === 'json') return jsonOf(answer, request, frame)
      const sources = formatSources(numberedSources(answer, options.all), format)
      return format === 'md'
        ? `${guardedText(safe(markDoubts(answer))).trim()}\n\n${sources}${doubts(answer, shell)}`
        : sources
    },
  })
}

function requestFrom(query: string, { options, loaded }: Invocation<typeof definitions>): SearchRequest {
  const name = options.model
  const { filters } = dialect.parse(searchInput('ask', query, options), {})
  // A program reads JSON.
  const instructions = formatOf(options) === 'json' ? undefined : forPeople
  if (name === undefined) return { query, history: [], want: 'answer', effort: 'standard', filters, instructions }
  const models = configuredModels(loaded.config)
  // Other than a program, a person can correct it.
  const choice = isKnownModel(name, models) ? chooseModel(name, models) : undefined
  if (!choice)
    throw new UsageError(`--model: "${name}" is not a model that csp knows. Try sonar, sonnet or a claude-… name.`)
  const { isPlain, ...model } = choice
  return { query, history: [], want: isPlain ? 'text' : 'answer', filters, ...(!isPlain && { instructions }), ...model }
}

/** The text as it comes, wrapped on a terminal, and then its sources. */
function textFor(shell: Shell, isWhole: boolean): Pick<OneSearch, 'onText' | 'show'> {
  const { output, environment } = shell
  const { link } = styleFor(output.isTerminal, environment)
  let urls: readonly string[] = []
  const marked = (word: string) =>
    word.replace(/\[(\d{1,3})\]/g, (marker, number) => link(marker, urls[Number(number) - 1] ?? ''))
  const wrapped = output.isTerminal ? new WrappedText(Math.min(output.columns, 100), marked) : undefined
  return {
    onText(text, searches) {
      urls = sourcesOf(searches).map(({ url }) => url)
      return wrapped ? wrapped.push(safe(text)) : safe(text)
    },
    show(answer, { hint }) {
      const isCut = numberedSources(answer, isWhole).length < sourcesOf(answer.searches).length
      if (isCut) hint('--all lists all pages')
      return `${wrapped?.end() ?? ''}\n\n${sourceList(answer, shell, isWhole)}${doubts(answer, shell)}`
    },
  }
}

/** The pages that the answer cites, or all, by the numbers that its markers have. */
export function numberedSources({ searches, citations }: Answer, isWhole: boolean) {
  const cited = new Set(citations.map(({ number }) => number))
  return sourcesOf(searches)
    .map((source, index) => ({ ...source, number: index + 1, isCited: cited.has(index + 1) }))
    .filter(({ isCited }) => isWhole || isCited)
}

function sourceList(answer: Answer, { output, environment }: Shell, isWhole: boolean): string {
  const { bold, dim, hasLinks, link } = styleFor(output.isTerminal, environment)
  const listed = numberedSources(answer, isWhole)
  const lines = listed.map(({ number, title, url, isCited }) => {
    const head = link(safeLine(title), url)
    const address = hasLinks ? link(fit(safeLine(url), Math.min(output.columns, 100) - 4), url) : safeLine(url)
    return `[${number}] ${isCited ? bold(head) : head}\n    ${dim(address)}`
  })
  const others = sourcesOf(answer.searches).length - listed.length
  if (others > 0) lines.push(`${listed.length > 0 ? 'also found' : 'found'} ${counted(others, 'page')}`)
  return linesText(lines)
}

/** The text with `[?]` after each sentence that its pages do not bear out. */
export function markDoubts({ text, evidence = [] }: Pick<Answer, 'text' | 'evidence'>): string {
  let [marked, from] = ['', 0]
  for (const sentence of evidence.filter(isDoubtful)) {
    const markers = /^(?:\s?\[\d{1,3}\])*/.exec(text.slice(sentence.end, sentence.end + maxMarkers))?.[0] ?? ''
    const end = Math.max(from, sentence.end + markers.length)
    marked += `${text.slice(from, end)} [?]`
    from = end
  }
  return marked + text.slice(from)
}

const maxMarkers = 100

type Shown = Pick<Shell, 'output' | 'environment'>

/** How many sentences have each verdict, those that their pages do not bear out, and what is missing there. */
export function doubts({ evidence = [] }: Pick<Answer, 'evidence'>, { output, environment }: Shown): string {
  const { bold } = styleFor(output.isTerminal, environment)
  const lines = evidence.filter(isDoubtful).map(({ verdict, sentence, sources, missing = [], doubt, judge }) => {
    const named = missing.map(({ text }) => text).join(', ')
    const concerns = safeLine(
      [named && `missing: ${named}`, ...concernsOf({ doubt, judge })].filter(Boolean).join('; '),
    )
    const said = `${safeLine(sentence)} ${sources.map((number) => `[${number}]`).join('')}`
    return `${bold(verdict === 'not-found' ? 'not found' : concerns)}  ${said}\n`
  })
  const counts = safeLine(evidenceInWords(evidence))
  return counts ? `\nSentences on the pages they cite: ${counts}\n${guardedText(lines.join(''))}` : ''
}

/** An answer as JSON. */
export function jsonOf(
  { text, searches, citations, model, usage, evidence }: Answer,
  { query }: SearchRequest,
  { elapsedMs, cache }: ShownFrame,
): string {
  const sources = sourcesOf(searches).map(({ title, url, snippet, publishedAt }) => ({
    title,
    url,
    snippet: snippet ?? null,
    published_date: publishedAt ?? null,
  }))
  const kept = { cached: cache !== undefined && cache.status !== 'miss', age_seconds: cache?.ageSeconds ?? 0 }
  const checked = evidence && { evidence }
  const body = { query, answer: text, citations, ...checked, sources, model, usage, elapsed_ms: elapsedMs(), ...kept }
  return prettyJson(body)
}
