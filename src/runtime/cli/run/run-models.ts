import type { Gateway } from '@csp/gateway/gateway'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { isListed, listedModels, shownModels } from '../../upstream-models.ts'
import type { UpstreamPlan } from '../../upstream-plans.ts'

/** The sizes of Claude's models, as programs ask for them. */
const sizes = ['opus', 'sonnet', 'haiku'] as const
export type Models = Readonly<Partial<Record<(typeof sizes)[number], string>>>

/** The model behind each size, with the name of its upstream in front; absent if none serves it. */
export function modelsOf(gateway: Gateway): Models {
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
export async function availableModels(models: Models, plans: readonly UpstreamPlan[]): Promise<Models> {
  const names = [...new Set(Object.values(models))]
  const asked = plans.filter(({ name }) => names.some((model) => model.startsWith(`${name}/`)))
  const lists = await Promise.all(asked.map(async (plan) => [plan.name, await listedModels(plan)] as const))
  const replaced = new Map<string, string>()
  for (const [upstream, listed] of lists) {
    const wanted = names.filter((name) => name.startsWith(`${upstream}/`))
    const missing = wanted.filter((name) => !isListed(name.slice(upstream.length + 1), listed))
    if (listed.length === 0 || missing.length === 0) continue
    const [only, ...others] = listed.filter((name) => !/embed/i.test(name))
    if (only !== undefined && others.length === 0) for (const name of missing) replaced.set(name, `${upstream}/${only}`)
    else if (missing.length === wanted.length) throw noneOf(upstream, missing, listed)
  }
  return Object.fromEntries(Object.entries(models).map(([size, name]) => [size, replaced.get(name) ?? name]))
}

function noneOf(upstream: string, missing: readonly string[], listed: readonly string[]): UsageError {
  const names = missing.map((name) => name.slice(upstream.length + 1)).join(', ')
  return new UsageError(
    `The upstream ${upstream} does not list ${names}. Name one of its models: ANTHROPIC_DEFAULT_SONNET_MODEL=MODEL ${csp} run -- claude. It has: ${shownModels(listed)}`,
  )
}
