import type { MessagesRequest } from '@csp/messages-api/request'

/** Whether the model may think. */
export function reasons({ thinking }: MessagesRequest): boolean {
  return thinking?.type !== 'disabled'
}

/** Whether the caller has asked for the thoughts themselves. */
export function wantsThoughts({ thinking }: MessagesRequest): boolean {
  return thinking != null && thinking.type !== 'disabled'
}

/** Whether the caller wants blocks of thoughts without their words. */
export function omitsThoughts({ thinking }: MessagesRequest): boolean {
  return thinking?.['display'] === 'omitted'
}

/**
 * How hard it shall think, in the words of OpenAI: the first of what the caller wants that the model has not refused, or the
 * usual effort where the caller wants none in particular.
 */
export function effortOf(request: MessagesRequest, without: ReadonlySet<string>, usual?: string): string | undefined {
  const wanted = wantedEfforts(request) ?? (usual === undefined ? [] : [usual])
  return wanted.find((effort) => !without.has(effortFeature(effort)))
}

/** The feature for one level of effort, which a model may refuse while it takes others. */
export function effortFeature(effort: string): string {
  return `effort:${effort}`
}

/** The next lower effort that is not refused; one that nobody knows stays or goes. */
export function nextEffort(effort: string, without: ReadonlySet<string>): string | undefined {
  const place = efforts.indexOf(effort)
  return (place < 0 ? [effort] : efforts.slice(place)).find((each) => !without.has(effortFeature(each)))
}

const efforts: readonly string[] = ['max', 'xhigh', 'high', 'medium', 'low']

/** Not all models can be told not to think: the least effort comes closest. */
function wantedEfforts({ thinking, output_config }: MessagesRequest): readonly string[] | undefined {
  if (thinking?.type === 'disabled') return ['none', 'minimal', 'low']
  const effort = output_config?.effort
  const place = typeof effort === 'string' ? efforts.indexOf(effort) : -1
  // The next lower one that is not refused comes closest.
  if (place >= 0) return efforts.slice(place)
  const budget = thinking?.budget_tokens
  if (budget == null) return undefined
  return [budget < 5000 ? 'low' : budget < 10_000 ? 'medium' : 'high']
}
