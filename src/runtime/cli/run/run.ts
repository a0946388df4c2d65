import { constants } from 'node:os'
import type { Gateway } from '@csp/gateway/gateway'
import { startInBackground } from '../../background/background.ts'
import type { RunningServerRecord } from '../../background/running-servers.ts'
import { gatewayThatRuns, reasonOf } from '../../background/what-runs.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createConfiguredGateway } from '../../gateway.ts'
import { capabilityFile } from '../../server/capability-file.ts'
import { csp } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { askModels, isListed, type ModelsReply, shownModels } from '../../upstream-models.ts'
import { type UpstreamPlan, upstreamPlans } from '../../upstream-plans.ts'
import { type Call, defineCommand, flagArguments } from '../command.ts'
import { contextVariable, factsOfMain, inWords } from './model-facts.ts'

/** `csp run`: a program on the gateway. */
export const run = defineCommand({
  name: 'run',
  usage: '[FLAGS] -- PROGRAM [ARGUMENTS]',
  details: `Starts csp in the background if it does not run, waits until it is ready, sets ANTHROPIC_BASE_URL and related variables, and ends with the exit code of the program. csp keeps running; ${csp} stop ends it.`,
  examples: [`${csp} run -- claude`, `OPENAI_BASE_URL=http://localhost:11434/v1 ${csp} run -- claude -p "hello"`],
  options: {},
  arguments: { minimum: 1, maximum: Number.POSITIVE_INFINITY },
  run: runProgram,
})

async function runProgram(call: Call): Promise<number> {
  const { shell, loaded } = call
  const { sandbox } = loaded.config
  const gateway = createConfiguredGateway(loaded.config, shell.environment, sandbox ? { sandbox: async () => '' } : {})
  if (!gateway) throw new UsageError(noGateway)
  await gateway.close()
  const plans = upstreamPlans(loaded.config, shell.environment)
  const { models, lists } = sandbox ? onSandbox : await availableModels(modelsOf(gateway), plans)
  const server = await serverFor(call)
  const key = loaded.config.apiKeys[0] ?? server.token
  const facts = await factsOfMain(models, plans, lists, await capabilityFile(loaded.config.stateDir).list())
  const said = inWords(models, facts)
  if (said) shell.errors.write(wrapped(`${said}\n`, shell.errors))
  return spawnOn(call, {
    // Values that the user has set stay.
    ...withoutThose(shell.environment, { ...allTools, ...contextVariable(facts) }),
    ...gatewayVariables(gateway, models, server.url, key),
  })
}

const noGateway = `${csp} run needs a model behind the gateway: set OPENAI_BASE_URL (and OPENAI_API_KEY), --gateway-url, or a list in the configuration file; docs/gateway.md has examples.`

/** The sizes of Claude's models, as programs ask for them. */
const sizes = ['opus', 'sonnet', 'haiku'] as const
type Models = Readonly<Partial<Record<(typeof sizes)[number], string>>>

/** The models that are there, and the lists of their upstreams. */
interface Available {
  readonly models: Models
  readonly lists: ReadonlyMap<string, ModelsReply>
}

/** The sandbox answers to every name. */
const onSandbox: Available = {
  models: { opus: 'sandbox/opus', sonnet: 'sandbox/sonnet', haiku: 'sandbox/haiku' },
  lists: new Map(),
}

/** The model behind each size, with the name of its upstream in front; absent if none serves it. */
function modelsOf(gateway: Gateway): Models {
  const found = sizes.flatMap((size) => {
    const route = gateway.routeOf(size, () => false)
    return typeof route === 'string' ? [] : [[size, `${route.to.name}/${route.model}`] as const]
  })
  return Object.fromEntries(found)
}

/**
 * The models that are there, by the lists of their upstreams: where only one model is to be had, it stands for those that are
 * not. Throws a `UsageError` that names the models of the upstream where none of the wanted ones is among them.
 */
export async function availableModels(models: Models, plans: readonly UpstreamPlan[]): Promise<Available> {
  const names = [...new Set(Object.values(models))]
  const asked = plans.filter(({ name }) => names.some((model) => model.startsWith(`${name}/`)))
  const lists = new Map(await Promise.all(asked.map(async (plan) => [plan.name, await askModels(plan)] as const)))
  const replaced = new Map<string, string>()
  for (const [upstream, { models: listed = [] }] of lists) {
    const wanted = names.filter((name) => name.startsWith(`${upstream}/`))
    const missing = wanted.filter((name) => !isListed(name.slice(upstream.length + 1), listed))
    if (listed.length === 0 || missing.length === 0) continue
    const [only, ...others] = listed.filter((name) => !/embed/i.test(name))
    if (only !== undefined && others.length === 0) for (const name of missing) replaced.set(name, `${upstream}/${only}`)
    else if (missing.length === wanted.length) throw noneOf(upstream, missing, listed)
  }
  const found = Object.fromEntries(Object.entries(models).map(([size, name]) => [size, replaced.get(name) ?? name]))
  return { models: found, lists }
}

function noneOf(upstream: string, missing: readonly string[], listed: readonly string[]): UsageError {
  const names = missing.map((name) => name.slice(upstream.length + 1)).join(', ')
  return new UsageError(
    `The upstream ${upstream} does not list ${names}. Name one of its models: ANTHROPIC_DEFAULT_SONNET_MODEL=MODEL ${csp} run -- claude. It has: ${shownModels(listed)}`,
  )
}

/** The csp that runs at the port, if its settings are these; a new one where none runs. */
async function serverFor({ shell, loaded, flags }: Call): Promise<RunningServerRecord> {
  const { environment } = shell
  const { stateDir, port } = loaded.config
  const found = await gatewayThatRuns({ loaded, environment })
  if (found.kind === 'usable') return found.server
  if (found.kind === 'none' || found.kind === 'unknown') {
    return startInBackground({ stateDir, environment, flags: flagArguments(flags) })
  }
  const { url } = found.server
  throw new UsageError(
    `The csp at ${url} runs with other settings than this terminal has: ${reasonOf(found)} ${csp} restart lets it read them again, and --port ${port + 1} starts one more.`,
  )
}

/** Claude Code finds its own WebSearch by a search among tools, which other models seldom make. So all are offered at once. */
const allTools: Environment = { ENABLE_TOOL_SEARCH: 'false' }

/** Variables but for those that are set. */
function withoutThose(environment: Environment, variables: Environment): Environment {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => environment[name] === undefined))
}

/** The variables for a client of the gateway. Towards Anthropic's own API nothing of its identity is hidden. */
function gatewayVariables(gateway: Gateway, models: Models, url: string, key: string): Environment {
  const names = {
    ANTHROPIC_DEFAULT_FABLE_MODEL: models.opus,
    ANTHROPIC_DEFAULT_OPUS_MODEL: models.opus,
    ANTHROPIC_DEFAULT_SONNET_MODEL: models.sonnet,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: models.haiku,
    CLAUDE_CODE_SUBAGENT_MODEL: models.sonnet,
  }
  const isForeign = gateway.upstreams.every(({ isAnthropic }) => !isAnthropic)
  return {
    ANTHROPIC_BASE_URL: url,
    // A key of the user's would win over the token, and go to csp.
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_AUTH_TOKEN: key,
    ...Object.fromEntries(Object.entries(names).filter(([, model]) => model !== undefined)),
    // Both change with each turn, and would void the provider's cache of the prompt.
    ...(isForeign && { CLAUDE_CODE_ATTRIBUTION_HEADER: '0', CLAUDE_CODE_TOTAL_TOKENS_REMINDER: 'off' }),
  }
}

/** Runs the program on this terminal. Its end is the end of this command. */
async function spawnOn({ shell, arguments: words }: Call, variables: Environment): Promise<number> {
  const [program = '', ...args] = words
  const path = Bun.which(program, { PATH: shell.environment['PATH'] ?? '', cwd: shell.directory })
  if (!path) {
    shell.errors.write(wrapped(`There is no program ${program} on PATH.\n`, shell.errors))
    return 127
  }
  // Before the program starts, which may be told to end as soon as it runs. A terminal sends Ctrl-C to the program as
  // well; it decides what that means.
  const end = shell.onSignal((signal) => {
    if (signal !== 'SIGINT' || !shell.output.isTerminal) child.kill(signal)
  })
  const child = Bun.spawn([path, ...args], {
    cwd: shell.directory,
    env: { ...shell.environment, ...variables },
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  try {
    await child.exited
  } finally {
    end()
  }
  const { exitCode, signalCode } = child
  return exitCode ?? 128 + (Object.entries(constants.signals).find(([name]) => name === signalCode)?.[1] ?? 0)
}
