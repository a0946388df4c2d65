import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import { chooseModel, defaultModels } from '../../../domain/model.ts'
import type { Answer, SearchEvent, SearchRequest } from '../../../domain/search.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Shell } from '../../shell/shell.ts'
import { safe, safeLine, styleFor } from '../../shell/terminal.ts'
import { defineCommand, type Invocation, type OptionDefinitions } from '../command.ts'
import { queryOf, runSearch } from '../run-search.ts'

const definitions = {
  model: { hint: 'MODEL', help: 'sonar (fast), sonar-pro, sonar-reasoning (deep), or haiku, sonnet, opus' },
  all: { short: 'a', help: 'List the pages that the answer does not cite, too' },
  json: { help: 'Print JSON when the answer is complete' },
} satisfies OptionDefinitions

/** `csp ask`: a written answer with its sources. */
export const ask = defineCommand({
  name: 'ask',
  usage: 'QUERY [FLAGS]',
  summary: 'Ask the web and get a written answer with sources',
  details: 'A QUERY of - is read from standard input. The text is shown while it is written.',
  examples: [
    'csp ask "who maintains hono?"',
    'csp ask --model sonar-reasoning "compare bun and deno on file watching"',
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runCommand,
})

async function runCommand(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, options } = invocation
  const request = requestFrom(await queryOf(invocation), invocation)
  return runSearch(invocation, async ({ executor, signal, elapsedMs, endProgress }) => {
    const events = executor.search(request, { signal })
    const answer = await show(events, options.json ? undefined : shell, endProgress)
    shell.output.write(
      options.json ? jsonOf(answer, request, elapsedMs()) : `\n\n${sourceList(answer, shell, options.all)}`,
    )
    if (!options.json && !options.all && shell.errors.isTerminal) shell.errors.write('--all lists all pages\n')
  })
}

function requestFrom(query: string, { options, loaded }: Invocation<typeof definitions>): SearchRequest {
  const name = options.model
  if (name === undefined) return { query, history: [], want: 'answer', effort: 'standard', filters: {} }
  const choice = chooseModel(name, { ...defaultModels, ...loaded.config.models })
  if (!choice)
    throw new UsageError(`--model: "${name}" is not a model that csp knows. Try sonar, sonnet or a claude-… name.`)
  const { isPlain, ...model } = choice
  return { query, history: [], want: isPlain ? 'text' : 'answer', filters: {}, ...model }
}

/** Folds the events, and writes the text to the shell as it arrives. */
async function show(events: AsyncIterable<SearchEvent>, shell: Shell | undefined, begun: () => void): Promise<Answer> {
  const fold = new AnswerFold()
  for await (const event of events) {
    fold.add(event)
    if (event.type !== 'text-delta' || !shell) continue
    begun()
    shell.output.write(safe(event.text))
  }
  begun()
  return fold.finish()
}

function sourceList({ searches, citations }: Answer, shell: Shell, isWhole: boolean): string {
  const { bold, dim } = styleFor(shell.output.isTerminal, shell.environment)
  const cited = new Map(citations.map((citation) => [citation.number, citation]))
  const lines = [...cited.values()]
    .sort((left, right) => left.number - right.number)
    .map(({ number, title, url }) => `[${number}] ${bold(safeLine(title))}\n    ${dim(safeLine(url))}`)
  if (isWhole) {
    const urls = new Set([...cited.values()].map(({ url }) => url))
    const rest = sourcesOf(searches).filter(({ url }) => !urls.has(url))
    lines.push(...rest.map(({ title, url }) => `-   ${bold(safeLine(title))}\n    ${dim(safeLine(url))}`))
    return `${lines.join('\n')}\n`
  }
  const others = sourcesOf(searches).length - cited.size
  if (others > 0) lines.push(`${cited.size > 0 ? 'also found' : 'found'} ${others} ${others === 1 ? 'page' : 'pages'}`)
  return `${lines.join('\n')}\n`
}

function jsonOf(
  { text, searches, citations, model, usage }: Answer,
  { query }: SearchRequest,
  elapsedMs: number,
): string {
  const sources = sourcesOf(searches).map(({ title, url, snippet, publishedAt }) => ({
    title,
    url,
    snippet: snippet ?? null,
    published_date: publishedAt ?? null,
  }))
  const body = { query, answer: text, citations, sources, model, usage, elapsed_ms: elapsedMs }
  return `${JSON.stringify(body, null, 2)}\n`
}
