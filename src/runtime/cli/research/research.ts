import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { messageOf } from '@csp/lib/errors'
import { receiptHtml } from '../../../api/endpoints/receipts/html.ts'
import { researchRequest } from '../../../domain/research.ts'
import type { SearchEvent } from '../../../domain/search.ts'
import { CommandError, UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { safe, safeLine } from '../../shell/terminal.ts'
import { WrappedText, wrapped } from '../../shell/wrapped-text.ts'
import { doubts, jsonOf, numberedSources } from '../ask/ask.ts'
import { defineCommand, type Invocation, type OptionDefinitions, oneOf } from '../command.ts'
import { oneOffOptions } from '../one-off.ts'
import { receiptOfAnswer } from '../receipt/of-answer.ts'
import { queryOf, runSearch } from '../run-search.ts'
import { dialect, filterOptions, searchInput } from '../search-filters.ts'
import { formatSources } from '../source-formats.ts'

const efforts = ['low', 'medium', 'high'] as const

const definitions = {
  effort: {
    hint: 'LEVEL',
    help: 'low (3 searches), medium (5 and 3 more; by default) or high (10 and 8 more)',
    values: efforts,
    parse: oneOf(efforts),
  },
  model: { hint: 'MODEL', help: 'Model that plans and writes: sonnet, opus, …' },
  ...filterOptions,
  output: { short: 'o', hint: 'FILE', help: 'Write the report to a file' },
  html: { help: 'Print one HTML file, with the evidence of each sentence' },
  fresh: { help: 'Search again, even if the report is in the cache' },
  ...oneOffOptions,
  json: { help: 'Print JSON when the report is complete' },
} satisfies OptionDefinitions

/** `csp research`: a report over several searches. */
export const research = defineCommand({
  name: 'research',
  usage: 'QUESTION [FLAGS]',
  details:
    'Plans the searches, makes them at once, reads the pages, searches again for missing parts, and writes Markdown with numbered sources. It takes a few minutes and up to 18 searches. The terminal shows the steps. Ctrl-C stops it. With - as QUESTION, it is read from standard input.',
  examples: [
    `${csp} research "which heat pumps work below -20 °C?"`,
    `${csp} research "compare bun and deno" --effort high -o report.md`,
    `${csp} research "what is new in bun?" --freshness month --html > report.html`,
  ],
  options: definitions,
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runResearch,
})

async function runResearch(invocation: Invocation<typeof definitions>): Promise<number> {
  const { options, shell } = invocation
  if (options.html && options.json) throw new UsageError('--html and --json cannot be combined.')
  const question = await queryOf(invocation)
  const { filters } = dialect.parse(searchInput('research', question, options), {})
  const request = { ...researchRequest(question, options.effort ?? 'medium'), filters, model: options.model }
  const path = options.output === undefined ? undefined : resolve(shell.directory, options.output)
  const isMarkdown = !options.html && !options.json
  let report: Promise<string> | undefined
  const lines = shell.output.isTerminal ? new WrappedText(Math.min(shell.output.columns, 100)) : undefined
  const code = await runSearch(invocation, {
    request,
    options: { ...options, open: undefined },
    onStep(event) {
      const line = stepLine(event)
      return line && wrapped(line, shell.errors)
    },
    ...(isMarkdown && path === undefined && { onText: (text) => lines?.push(safe(text)) ?? safe(text) }),
    show(answer, frame) {
      const rest = `\n\n## Sources\n\n${formatSources(numberedSources(answer, false), 'md')}${doubts(answer, shell)}`
      if (isMarkdown && path === undefined) return `${lines?.end() ?? ''}${wrapped(rest, shell.output)}`
      const text = isMarkdown ? `${safe(answer.text).trim()}${rest}` : undefined
      report = Promise.resolve(
        text ?? (options.json ? jsonOf(answer, request, frame) : receiptHtml(receiptOfAnswer(answer, request, frame))),
      )
      return ''
    },
  })
  const text = await report
  if (text === undefined) return code
  if (path === undefined) shell.output.write(text)
  else await write(path, text)
  return code
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw new CommandError(`The report could not be written to ${path}: ${messageOf(error)}`)
  }
}

/** The line for a step. */
function stepLine(event: SearchEvent): string | undefined {
  if (event.type !== 'research') return undefined
  const { step } = event
  switch (step.kind) {
    case 'outline':
      return step.questions.map((question) => `search  ${safeLine(question)}\n`).join('')
    case 'page':
      return `read    ${safeLine(step.title)}  ${safeLine(step.url)}\n`
    case 'note':
      return `${safeLine(step.text)}\n`
  }
}
