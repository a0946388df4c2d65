import { researchRequest } from '../../../domain/research.ts'
import { excerptSource, type Setting, settings, settingText } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { linesText, prettyJson, tableLines } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = {
  setOnly: { help: 'List only settings that are set somewhere, without the defaults' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

type ConfigInvocation = Invocation<typeof definitions>

/** `csp config`: every setting, its value and its origin; and the file that holds them. */
export const config = defineCommand({
  name: 'config',
  usage: '[get NAME|set NAME VALUE|unset NAME|edit|init|path|prompts] [FLAGS]',
  details:
    'Flags win over variables, variables over the file. Keys are never shown. get prints one value. set and unset change one setting and keep comments. set asks for a secret, or reads it from standard input; a key of the Anthropic API is tried first. edit opens the file in EDITOR and checks it. init makes the file, and a schema beside it with which editors show every setting; set and edit do the same if there is no file. prompts prints the prompts of csp: --instructions FILE adds to them, --prompts FILE replaces those of standard and deep answers.',
  examples: [
    `${csp} config --set-only`,
    `${csp} config get model`,
    `${csp} config set cache-ttl 2h`,
    `${csp} config set BRAVE_API_KEY < key.txt`,
    `${csp} config unset cache-ttl`,
    `CSP_MODEL=haiku ${csp} config --json`,
  ],
  options: definitions,
  words: {
    get: settings.map(({ flag }) => flag),
    set: settings.map(({ flag }) => flag),
    unset: settings.map(({ flag }) => flag),
    edit: [],
    init: [],
    path: [],
    prompts: [],
  },
  arguments: { minimum: 0, maximum: 3 },
  mendsConfig: true,
  run: runConfig,
})

async function runConfig(call: ConfigInvocation): Promise<number> {
  const [topic] = call.arguments
  if (topic === undefined) return showConfig(call)
  const action = actions[topic]
  if (!action)
    throw new UsageError(`${csp} config does not know "${topic}". It knows ${Object.keys(actions).join(', ')}.`)
  if (call.arguments.length - 1 > action.most)
    throw new UsageError(`Usage: ${csp} config ${topic} ${action.takes}`.trimEnd())
  if (call.arguments.length - 1 < action.least) throw new UsageError(`Usage: ${csp} config ${topic} ${action.takes}`)
  const stray = Object.keys(call.flags).find((flag) => flag !== 'config')
  if (stray && topic !== 'prompts' && topic !== 'get')
    throw new UsageError(`--${stray} does not go with ${csp} config ${topic}.`)
  return action.run(call)
}

interface Action {
  readonly takes: string
  readonly least: number
  readonly most: number
  run(call: ConfigInvocation): Promise<number>
}

const changes = () => import('./change-config.ts')

const actions: Readonly<Record<string, Action | undefined>> = {
  get: { takes: 'NAME', least: 1, most: 1, run: showSetting },
  set: { takes: 'NAME VALUE', least: 1, most: 2, run: async (call) => (await changes()).setSetting(call) },
  unset: { takes: 'NAME', least: 1, most: 1, run: async (call) => (await changes()).unsetSetting(call) },
  edit: {
    takes: '',
    least: 0,
    most: 0,
    run: async (call) => (await import('./edit-config.ts')).editConfig(call),
  },
  init: { takes: '', least: 0, most: 0, run: async (call) => (await changes()).initConfig(call) },
  path: { takes: '', least: 0, most: 0, run: async (call) => (await changes()).printPath(call) },
  prompts: { takes: '', least: 0, most: 0, run: showPrompts },
}

async function showConfig(call: ConfigInvocation): Promise<number> {
  refuseProblem(call)
  call.shell.output.write(call.options.json ? jsonOf(call) : tableOf(call))
  for (const warning of call.loaded.warnings) call.shell.errors.write(wrapped(`${warning}\n`, call.shell.errors))
  return exitCodes.done
}

async function showSetting(call: ConfigInvocation): Promise<number> {
  refuseProblem(call)
  const setting = (await changes()).settingNamed(call.arguments[1] ?? '')
  const value = shown(setting, call.loaded)
  const text = call.options.json ? JSON.stringify(value ?? null) : valueText(value ?? setting.defaultText, setting)
  call.shell.output.write(`${text}\n`)
  return exitCodes.done
}

/** All settings, or with `--set-only` those that are not at their default. */
function listed({ loaded, options }: ConfigInvocation): readonly Setting[] {
  return options.setOnly ? settings.filter(({ name }) => loaded.origins[name] !== 'default') : settings
}

async function showPrompts(call: ConfigInvocation): Promise<number> {
  refuseProblem(call)
  call.shell.output.write(await promptsOf(call))
  return exitCodes.done
}

function refuseProblem({ loaded: { problem } }: Call): void {
  if (problem) throw new UsageError(problem)
}

/** The prompts, apart from the question, its sources and the caller's own instructions. */
async function promptsOf({ loaded, options }: ConfigInvocation): Promise<string> {
  const { answerFormat, searcherSystemPrompt } = await import('../../../executor/backends/claude/prompts.ts')
  const { writerSystemPrompt, writerWish } = await import('../../../executor/answer/prompt/writer.ts')
  const { resultsFormat } = await import('../../../executor/answer/prompt/prompt.ts')
  const { nativeSystemPrompt } = await import('../../../executor/answer/prompt/native.ts')
  const { plannerPrompt } = await import('../../../research/planner.ts')
  const { ownPrompts } = loaded.config
  const report = researchRequest('', 'medium')
  const prompts = {
    results: resultsFormat(excerptSource(loaded.config) === 'lines' ? 'lines' : 'none'),
    sources: resultsFormat(loaded.config.excerpts === 'none' ? 'none' : 'lines'),
    fast: answerFormat,
    'one-call': nativeSystemPrompt(),
    standard: writerSystemPrompt(ownPrompts?.standard),
    deep: searcherSystemPrompt(ownPrompts?.deep),
    plan: plannerPrompt,
    report: writerWish(report),
    instructions: loaded.config.instructionsText ?? '',
  }
  if (options.json) return prettyJson(prompts)
  const parts = Object.entries(prompts).map(([name, text]) => `# ${name}: ${titles[name]}\n\n${text || '(none)'}\n`)
  return parts.join('\n')
}

const titles: Readonly<Record<string, string>> = {
  results: 'List of results: after the query',
  sources: 'Search for a standard answer: after the query',
  fast: 'Fast answer over pages: after the question',
  'one-call': 'Answer in one call: system prompt; your own for standard and deep answers also replace its manner',
  standard: 'Standard answer over pages: system prompt of the writer',
  deep: 'Deep answer over pages: system prompt of the searcher',
  plan: 'Research: system prompt of the planner',
  report: 'Research: after the sources of the report, for the writer of standard answers (of medium effort here)',
  instructions: 'Your own instructions (--instructions FILE), in every answer, before those of the caller',
}

function jsonOf(call: ConfigInvocation): string {
  const { loaded } = call
  const entries = listed(call).map((setting) => [
    setting.flag,
    { value: shown(setting, loaded) ?? null, origin: loaded.origins[setting.name] },
  ])
  const file = { path: loaded.path, found: loaded.found }
  return prettyJson({ file, settings: Object.fromEntries(entries) })
}

/** First the settings that are set, with their places; then the defaults by their group. */
function tableOf(call: ConfigInvocation): string {
  const { loaded, shell } = call
  const isSet = ({ name }: Setting) => loaded.origins[name] !== 'default'
  const textFor = (setting: Setting) => valueText(shown(setting, loaded) ?? setting.defaultText, setting)
  const all = listed(call)
  const set = all.filter(isSet).map((setting) => [setting.flag, textFor(setting), loaded.origins[setting.name]])
  const groups = Map.groupBy(
    all.filter((setting) => !isSet(setting)),
    ({ group }) => group,
  )
  const defaults = [...groups].map(([group, members]) => [
    `\n${group} (defaults)`,
    ...tableLines(members.map((setting) => [`  ${setting.flag}`, textFor(setting)])),
  ])
  const lines = [
    set.length > 0 ? 'Set' : 'Nothing is set.',
    ...tableLines(
      set.map(([flag = '', ...rest]) => [`  ${flag}`, ...rest]),
      { maxWidth: 48 },
    ),
    ...defaults.flat(),
    `\nfile: ${loaded.path}${loaded.found ? '' : ' (no such file)'}`,
  ]
  return wrapped(linesText(lines), shell.output)
}

function shown({ name, secret }: Setting, { config: values }: Call['loaded']): unknown {
  const value = values[name]
  if (!secret || value === undefined) return value
  return Array.isArray(value) ? value.map(() => '(hidden)') : '(hidden)'
}

function valueText(value: unknown, setting: Setting): string {
  return value === undefined ? '-' : settingText(value, setting) || '-'
}
