import { plainUrl } from '@csp/lib/url'
import type { KnownModel } from '../../server/capability-file.ts'
import type { Environment } from '../../shell/shell.ts'
import { abilities, askFacts, learnedFacts, type ModelFacts, together } from '../../upstream-facts.ts'
import type { ModelsReply } from '../../upstream-models.ts'
import type { UpstreamPlan } from '../../upstream-plans.ts'

/** The models of csp run, each with the name of its upstream in front. */
interface Models {
  readonly opus?: string | undefined
  readonly sonnet?: string | undefined
  readonly haiku?: string | undefined
}

/** What is known of the models that do the work, together: the small one gets short requests only. */
export async function factsOfMain(
  { opus, sonnet, haiku }: Models,
  plans: readonly UpstreamPlan[],
  lists: ReadonlyMap<string, ModelsReply>,
  learned: readonly KnownModel[],
): Promise<ModelFacts> {
  const main = (opus ?? sonnet) ? [opus, sonnet] : [haiku]
  const names = [...new Set(main.flatMap((name) => name ?? []))]
  return together(await Promise.all(names.map((name) => factsOf(name, plans, lists, learned))))
}

async function factsOf(
  name: string,
  plans: readonly UpstreamPlan[],
  lists: ReadonlyMap<string, ModelsReply>,
  learned: readonly KnownModel[],
): Promise<ModelFacts> {
  const slash = name.indexOf('/')
  const model = name.slice(slash + 1)
  const plan = plans.find((one) => one.name === name.slice(0, slash))
  if (!plan) return together([])
  const place = plainUrl(plan.url)
  // One server may have several APIs below its address.
  const own = learned.filter((known) => known.model === model && known.baseUrl.startsWith(place))
  const told = await askFacts(plan, model, lists.get(plan.name) ?? {})
  const facts = together([told, ...own.map(({ refused }) => learnedFacts(refused))])
  // The one who named it knows it better than nobody.
  return facts.context === undefined && plan.longModels?.includes(model) ? { ...facts, context: 1_000_000 } : facts
}

/** One line about what the models cannot do; `undefined` if nothing is known. */
export function inWords({ opus, sonnet, haiku }: Models, { context, lacks }: ModelFacts): string | undefined {
  const size = context === undefined ? [] : [`a context of ${context.toLocaleString('en-US')} tokens`]
  const lacking = abilities.filter((ability) => lacks.has(ability)).map((ability) => `no ${ability}`)
  const all = [...size, ...lacking]
  const names = [...new Set([sonnet ?? opus ?? haiku, opus].flatMap((name) => name ?? []))].join(' and ')
  return all.length === 0 ? undefined : `${names}: ${all.join(', ')}.`
}

/** What Claude Code reads about a model that it does not know: else it takes its context for one of 200,000 tokens. */
export function contextVariable({ context }: ModelFacts): Environment {
  return context === undefined ? {} : { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(context) }
}
