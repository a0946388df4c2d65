import { chooseModel, configuredModels, type ModelChoice, namesIn } from '../../../domain/model.ts'
import { createConfiguredGateway } from '../../gateway.ts'
import { capabilityFile, type KnownModel } from '../../server/capability-file.ts'
import { isGatewayAlone } from '../../server/gateway-alone.ts'
import { prettyJson, tableText } from '../../shell/printed.ts'
import { type Call, exitCodes } from '../command.ts'

/** One line: a name, who serves it, and as what. */
interface Row {
  readonly name: string
  readonly served_by: string
  readonly as: string
}

/** `csp status --models`: what each model name stands for, and what the gateway has learned about models. */
export async function showModels(call: Call, isJson: boolean): Promise<number> {
  const names = await rowsOf(call)
  const learned = (await capabilityFile(call.loaded.config.stateDir).list()).map(toLearned)
  const text = () => tableOf(names) + (learned.length > 0 ? `\n${learnedTable(learned)}` : '')
  call.shell.output.write(isJson ? prettyJson({ models: names, learned }) : text())
  return exitCodes.done
}

async function rowsOf({ shell, loaded: { config } }: Call): Promise<readonly Row[]> {
  const own = configuredModels(config)
  const gateway = createConfiguredGateway(config, shell.environment)
  const upstreams = gateway?.upstreams ?? []
  const taken = (name: string) => gateway !== undefined && gateway.routeOf(name, () => true) !== 'own'
  const rows: readonly Row[] = [
    ...upstreams.flatMap(({ name, patterns }) =>
      patterns.map(([pattern, ...models]) => ({ name: pattern, served_by: name, as: models.join(', else ') })),
    ),
    ...upstreams.map(({ name }) => ({ name: `${name}/*`, served_by: name, as: '*' })),
    ...(isGatewayAlone(config, shell.environment) ? [] : namesIn(own))
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
