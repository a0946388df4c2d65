import { chooseModel, type ModelChoice, withClaudeEffort } from '../../../domain/model.ts'
import { counted } from '../../../lib/text.ts'
import type { KnownModel } from '../../bun/capability-file.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createConfiguredGateway } from '../../gateway.ts'
import { prettyJson, tableText } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp models`: what each name of a model stands for, and what the gateway has learned about models. */
export const models = defineCommand({
  name: 'models',
  usage: '[forget [MODEL]] [FLAGS]',
  details:
    "Patterns are tried from the top; * stands for any text. UPSTREAM/MODEL always means that model of that upstream. What a model refuses is learned from its provider's errors and kept for a week; forget MODEL, by the provider's name of it, or forget alone has it learned again. A running csp notices within five minutes.",
  examples: [`${csp} models`, `${csp} models --json`, `${csp} models forget gpt-5`],
  options: definitions,
  words: { forget: [] },
  arguments: { minimum: 0, maximum: 2 },
  run: runModels,
})

/** One line: a name, who serves it, and as what. */
interface Row {
  readonly name: string
  readonly served_by: string
  readonly as: string
}

async function runModels(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options, arguments: given } = invocation
  const [action, model] = given
  const { capabilityFile } = await import('../../bun/capability-file.ts')
  const file = capabilityFile(loaded.config.stateDir)
  if (action !== undefined) {
    if (action !== 'forget') throw new UsageError(`Usage: ${csp} models, or ${csp} models forget [MODEL]`)
    const forgotten = await file.forget(model)
    const text = `Forgot what was learned about ${counted(forgotten, 'model')}, in ${file.path}`
    shell.output.write(`${options.json ? JSON.stringify({ action, forgotten, path: file.path }) : text}\n`)
    return exitCodes.done
  }
  const names = await namesIn(invocation)
  const learned = (await file.list()).map(toLearned)
  shell.output.write(
    options.json
      ? prettyJson({ models: names, learned })
      : tableOf(names) + (learned.length > 0 ? `\n${learnedTable(learned)}` : ''),
  )
  return exitCodes.done
}

async function namesIn({ shell, loaded: { config } }: Invocation<typeof definitions>): Promise<readonly Row[]> {
  const own = withClaudeEffort(config.defaultEffort, config.models)
  const gateway = createConfiguredGateway(config, shell.environment)
  const upstreams = gateway?.upstreams ?? []
  const taken = (name: string) => gateway !== undefined && gateway.routeOf(name, () => true) !== 'own'
  const rows: readonly Row[] = [
    ...upstreams.flatMap(({ name, patterns }) =>
      patterns.map(([pattern, ...models]) => ({ name: pattern, served_by: name, as: models.join(', else ') })),
    ),
    ...upstreams.map(({ name }) => ({ name: `${name}/*`, served_by: name, as: '*' })),
    ...Object.keys(own)
      .filter((name) => !name.includes('*'))
      .map((name) => ({ name, served_by: 'csp', as: meaningOf(chooseModel(name, own), config.model) }))
      .map((row) => (taken(row.name) ? { ...row, as: `${row.as}, but on /v1/messages the gateway's` } : row)),
  ]
  await gateway?.close()
  return rows
}

/** What is known about a model at an address. */
interface Learned {
  readonly model: string
  readonly url: string
  readonly refuses: readonly string[]
  /** ISO 8601. */
  readonly until: string
}

function toLearned({ model, baseUrl: url, refused: refuses, expiresAt }: KnownModel): Learned {
  return { model, url, refuses, until: new Date(expiresAt).toISOString() }
}

function learnedTable(learned: readonly Learned[]): string {
  const rows = learned.map(({ model, url, refuses, until }) => [
    model,
    url,
    refuses.join(', ') || 'nothing',
    until.slice(0, 10),
  ])
  return tableText([['LEARNED ABOUT', 'AT', 'REFUSES', 'UNTIL'], ...rows])
}

function meaningOf(choice: ModelChoice | undefined, usual: string): string {
  if (!choice) return 'nothing'
  const model = choice.model ?? usual
  return choice.isPlain ? `${model}, without a search` : `${choice.effort} search, written by ${model}`
}

function tableOf(rows: readonly Row[]): string {
  return tableText([['NAME', 'SERVED BY', 'AS'], ...rows.map(({ name, served_by, as }) => [name, served_by, as])])
}
