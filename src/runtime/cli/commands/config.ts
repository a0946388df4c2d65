import { excerptSource, type Setting, settings } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { type Call, defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp config`: every setting, its value and its origin. */
export const config = defineCommand({
  name: 'config',
  usage: '[prompts] [FLAGS]',
  summary: 'Show every setting, its value and where it comes from',
  details:
    'Flags win over variables, variables over the file. Keys are never shown. prompts: shows what csp tells the models; --instructions FILE adds to it.',
  examples: ['csp config', 'CSP_MODEL=haiku csp config --json', 'csp config prompts'],
  options: definitions,
  arguments: { minimum: 0, maximum: 1 },
  run: async (invocation) => {
    const [topic] = invocation.arguments
    if (topic !== undefined && topic !== 'prompts') throw new UsageError(`csp config: ${topic} is not prompts.`)
    if (topic) {
      invocation.shell.output.write(await promptsOf(invocation))
      return exitCodes.done
    }
    invocation.shell.output.write(invocation.options.json ? jsonOf(invocation) : tableOf(invocation))
    for (const warning of invocation.loaded.warnings) invocation.shell.errors.write(`${warning}\n`)
    return exitCodes.done
  },
})

/** What the models are told besides the question, its sources and the caller's own instructions. */
async function promptsOf({ loaded, options }: Invocation<typeof definitions>): Promise<string> {
  const { answerFormat, searcherSystemPrompt, writerSystemPrompt } = await import(
    '../../../executor/backends/claude/prompts.ts'
  )
  const { resultsFormat } = await import('../../../executor/answer/prompt/prompt.ts')
  const prompts = {
    results: resultsFormat(excerptSource(loaded.config) === 'lines' ? 'lines' : 'none'),
    sources: resultsFormat(loaded.config.excerpts === 'none' ? 'none' : 'lines'),
    fast: answerFormat,
    standard: writerSystemPrompt,
    deep: searcherSystemPrompt,
    instructions: loaded.config.instructionsText ?? '',
  }
  if (options.json) return `${JSON.stringify(prompts, null, 2)}\n`
  const parts = Object.entries(prompts).map(([name, text]) => `# ${titles[name] ?? name}\n\n${text || '(none)'}\n`)
  return parts.join('\n')
}

const titles: Readonly<Record<string, string>> = {
  results: 'List of results: behind the query',
  sources: 'Search for a standard answer: behind the query',
  fast: 'Fast answer: behind the question',
  standard: 'Standard answer: system prompt of the writer',
  deep: 'Deep answer: system prompt of the searcher',
  instructions: 'Your own instructions (--instructions FILE), in every answer, before those of the caller',
}

function jsonOf({ loaded }: Call): string {
  const entries = settings.map((setting) => [
    setting.flag,
    { value: shown(setting, loaded) ?? null, origin: loaded.origins[setting.name] },
  ])
  const file = { path: loaded.path, found: loaded.found }
  return `${JSON.stringify({ file, settings: Object.fromEntries(entries) }, null, 2)}\n`
}

function tableOf({ loaded }: Call): string {
  const rows = settings.map(
    (setting) =>
      [setting.flag, textOf(shown(setting, loaded) ?? setting.defaultText), loaded.origins[setting.name]] as const,
  )
  const widths = [0, 1].map((column) => Math.min(48, Math.max(...rows.map((row) => row[column]?.length ?? 0))))
  const lines = rows.map(([flag, value, origin]) =>
    [flag.padEnd(widths[0] ?? 0), value.padEnd(widths[1] ?? 0), origin].join('  '),
  )
  return `${lines.join('\n')}\n\nfile: ${loaded.path}${loaded.found ? '' : ' (no such file)'}\n`
}

function shown({ name, secret }: Setting, { config: values }: Call['loaded']): unknown {
  const value = values[name]
  if (!secret || value === undefined) return value
  return Array.isArray(value) ? value.map(() => '(hidden)') : '(hidden)'
}

function textOf(value: unknown): string {
  if (value === undefined) return '-'
  if (Array.isArray(value)) return value.join(',') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
