import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import type { OwnPrompts } from '../domain/own-prompts.ts'
import { gatewayModel } from '../executor/backends/gateway-model/gateway-model.ts'
import type { Executor } from '../executor/executor.ts'
import type { Config } from './config/settings.ts'
import { UsageError } from './config/usage-error.ts'
import { upstreamPlans } from './upstream-plans.ts'

/** The models of the gateway among the named writers. */
export function modelsThatWrite({ writers = [] }: Pick<Config, 'writers'>): readonly string[] {
  return writers.filter((name) => name.includes('/'))
}

/** The names under which they stand in the ledger. */
export function payees(config: Pick<Config, 'writers'>): readonly string[] {
  return modelsThatWrite(config).map((name) => `gateway/${upstreamIn(name)}`)
}

/** Throws a `UsageError` where the gateway has no upstream for a writer, or an upstream lacks its key. */
export function checkWriters(config: Config, environment: Readonly<Record<string, string | undefined>>): void {
  const models = config.sandbox ? [] : modelsThatWrite(config)
  if (models.length === 0) return
  const upstreams = upstreamPlans(config, environment).map(({ name }) => name)
  const unknown = models.find((model) => !upstreams.includes(upstreamIn(model)))
  if (unknown === undefined) return
  const known = upstreams.length > 0 ? upstreams.join(', ') : 'none'
  throw new UsageError(
    `The writer ${unknown} needs an upstream "${upstreamIn(unknown)}" of the gateway, which has ${known} (docs/gateway.md). claude and messages write as well.`,
  )
}

export interface ModelWriterParts {
  readonly gateway: Gateway
  /** The operator's system prompts. */
  readonly prompts?: OwnPrompts | undefined
  /** Called for each reply of the model. */
  readonly onCall: (call: UpstreamCall) => void
}

/** A model of the gateway that writes. On the sandbox its only upstream stands for all. */
export function modelWriter(name: string, { gateway, prompts, onCall }: ModelWriterParts): Executor {
  const { upstreams } = gateway
  const own = (wanted: string) => upstreams.find((upstream) => upstream.name === wanted)
  const to = own(upstreamIn(name)) ?? own('sandbox')
  if (!to) throw new UsageError(`The writer ${name} cannot be used here.`)
  const model = name.slice(name.indexOf('/') + 1)
  return gatewayModel({
    name,
    payee: `gateway/${to.name}`,
    prompts,
    send: (request, { signal, caller, note }) =>
      to.upstream.send(request, { signal, caller, model, trace: { note, answered: onCall } }),
  })
}

function upstreamIn(name: string): string {
  return name.slice(0, name.indexOf('/')).toLowerCase()
}
