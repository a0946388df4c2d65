import { nameOfKey } from '@csp/gateway/layers/keys'
import { counted } from '@csp/lib/text'
import type { LoadedConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { askModels, isListed, shownModels } from '../../upstream-models.ts'
import { type UpstreamPlan, upstreamPlans } from '../../upstream-plans.ts'
import { checkWriters, modelsThatWrite } from '../../writers.ts'
import { type Finding, resultsOf } from './finding.ts'

/** Whether each upstream of the gateway can be reached, accepts its key and has the models. Calls no model. */
export async function checkUpstreams(
  config: LoadedConfig['config'],
  environment: Environment,
): Promise<readonly Finding[]> {
  try {
    const plans = upstreamPlans(config, environment)
    checkWriters(config, environment)
    const writing = modelsThatWrite(config)
    return await Promise.all(plans.map((plan) => check(plan, plans, writing)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return [fail(error.message, `${csp} serve does not start without it.`)]
  }
}

const { ok, warn, fail } = resultsOf('gateway')

async function check(plan: UpstreamPlan, plans: readonly UpstreamPlan[], writing: readonly string[]): Promise<Finding> {
  const { name, key, keys = [] } = plan
  const { host } = new URL(plan.url)
  const replies = await Promise.all([plan, ...keys.slice(1).map((other) => ({ ...plan, key: other }))].map(askModels))
  const [{ status, models } = {}] = replies
  const says = `the upstream ${name} at ${host}`
  if (status === undefined) {
    const remedy =
      'Start it, or correct its address: --gateway-url (OPENAI_BASE_URL), or gateway in the configuration file.'
    return fail(`${says} cannot be reached`, remedy)
  }
  if (keys.length === 0 && (status === 401 || status === 403)) {
    return fail(`${says} ${key ? 'rejects the key' : 'requires a key'} (status ${status})`, keyRemedy(name))
  }
  const rejected = keys.filter((_, index) => replies[index]?.status === 401).map(nameOfKey)
  if (rejected.length > 0) {
    const message = `${says} rejects ${counted(rejected.length, 'key')} of ${keys.length}: ${rejected.join(', ')}`
    return rejected.length === keys.length ? fail(message, keyRemedy(name)) : warn(message, keyRemedy(name))
  }
  if (models === undefined) {
    const message = `${says} answers, but lists no models (status ${status}), so its key and models are not checked`
    return warn(message, 'Where requests fail: is the path of its address right?')
  }
  const unlisted = (names: readonly string[]) => names.filter((model) => !isListed(model, models))
  const own = writing.filter((model) => model.toLowerCase().startsWith(`${name}/`))
  const writers = unlisted(own.map((model) => model.slice(name.length + 1)))
  if (writers.length > 0) {
    const remedy = `Name one of its models in writers. It has: ${shownModels(models)}`
    return warn(`${says} does not list ${writers.join(', ')}, which is to write answers`, remedy)
  }
  const missing = unlisted(modelsFor(plan, plans))
  if (missing.length > 0) {
    const message = `${says} does not list ${missing.join(', ')}, which requests for Claude's models go to`
    return warn(message, modelRemedy(name, models))
  }
  const accepted = keys.length > 1 ? `, accepts the ${keys.length} keys` : key ? ', accepts the key' : ''
  return ok(`${says} answers${accepted} and lists ${counted(models.length, 'model')}`)
}

/** The provider's names of all models that an upstream is asked for, also in the place of another one that fails. */
function modelsFor({ name }: UpstreamPlan, plans: readonly UpstreamPlan[]): readonly string[] {
  const all = plans.flatMap((plan) =>
    plan.patterns.flatMap(([, ...names]) => {
      // A single name is the upstream's own, with whatever prefix.
      if (names.length === 1) return plan.name === name ? names : []
      return names.flatMap((model) => {
        const to = plans.find((other) => model.toLowerCase().startsWith(`${other.name}/`))
        if ((to ?? plan).name !== name) return []
        return to ? model.slice(to.name.length + 1) : model
      })
    }),
  )
  return [...new Set(all)]
}

function keyRemedy(upstream: string): string {
  return `Set OPENAI_API_KEY, or the key of ${upstream} in the list gateway of the configuration file.`
}

function modelRemedy(upstream: string, models: readonly string[]): string {
  const where = `${csp} config set ANTHROPIC_DEFAULT_SONNET_MODEL MODEL, or models of ${upstream} in the list gateway`
  return models.length === 0
    ? 'It has no model yet. Load one.'
    : `Name one of its models: ${where}. It has: ${shownModels(models)}`
}
