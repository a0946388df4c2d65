import { anyModel, chooseModel, defaultModels, type ModelChoice } from '../../../domain/model.ts'
import { createConfiguredGateway } from '../../gateway.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'Print JSON' } } satisfies OptionDefinitions

/** `csp models`: what each name of a model stands for. */
export const models = defineCommand({
  name: 'models',
  usage: '[FLAGS]',
  summary: 'Show what the names of models stand for',
  details:
    'Patterns are tried from the top; * stands for any text. UPSTREAM/MODEL always means that model of that upstream.',
  examples: ['csp models', 'csp models --json'],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  run: runModels,
})

/** One line: a name, who serves it, and as what. */
interface Row {
  readonly name: string
  readonly served_by: string
  readonly as: string
}

async function runModels({ shell, loaded, options }: Invocation<typeof definitions>): Promise<number> {
  const { config } = loaded
  const own = { ...defaultModels, ...config.models }
  const gateway = createConfiguredGateway(config, shell.environment)
  const upstreams = gateway?.upstreams ?? []
  const taken = (name: string) => gateway !== undefined && gateway.routeOf(name, () => true) !== 'own'
  const rows: readonly Row[] = [
    ...upstreams.flatMap(({ name, patterns }) =>
      patterns.map(([pattern, ...models]) => ({ name: pattern, served_by: name, as: models.join(', else ') })),
    ),
    ...upstreams.map(({ name }) => ({ name: `${name}/*`, served_by: name, as: '*' })),
    ...Object.keys(own)
      .filter((name) => name !== anyModel)
      .map((name) => ({ name, served_by: 'csp', as: meaningOf(chooseModel(name, own), config.model) }))
      .map((row) => (taken(row.name) ? { ...row, as: `${row.as}, but on /v1/messages the gateway's` } : row)),
  ]
  await gateway?.close()
  shell.output.write(options.json ? `${JSON.stringify(rows, null, 2)}\n` : tableOf(rows))
  return exitCodes.done
}

function meaningOf(choice: ModelChoice | undefined, usual: string): string {
  if (!choice) return 'nothing'
  const model = choice.model ?? usual
  return choice.isPlain ? `${model}, without a search` : `${choice.effort} search, written by ${model}`
}

function tableOf(rows: readonly Row[]): string {
  const header = { name: 'NAME', served_by: 'SERVED BY', as: 'AS' }
  const width = (field: 'name' | 'served_by') => Math.max(...[header, ...rows].map((row) => row[field].length))
  const [first, second] = [width('name'), width('served_by')]
  return [header, ...rows]
    .map(({ name, served_by, as }) => `${name.padEnd(first)}  ${served_by.padEnd(second)}  ${as}\n`)
    .join('')
}
