import { z } from 'zod'
import type { LimitWindowHealth, RateLimitHealth } from '../../../../domain/health.ts'

/** A window as the CLI's `get_usage` describes it: percent of it, and when it resets. */
const windowSchema = z.object({ utilization: z.number().min(0), resets_at: z.string().nullish() })

const usageSchema = z.object({
  rate_limits_available: z.literal(true),
  rate_limits: z.record(z.string(), z.unknown()),
})

const scopedSchema = z.object({ display_name: z.string() })

const extraSchema = z.object({ is_enabled: z.boolean() })

/**
 * The usage limit from the answer to `get_usage`. `undefined` where the CLI cannot know it: with a token in its
 * environment, an API key or another server. Windows that a plan lacks are `null` there, and unknown ones keep their
 * names.
 */
export function usageFrom(answer: unknown): RateLimitHealth | undefined {
  const found = usageSchema.safeParse(answer)
  if (!found.success) return undefined
  const { model_scoped: scoped, extra_usage: extra, ...others } = found.data.rate_limits
  const models = z.array(z.unknown()).safeParse(scoped).data ?? []
  const windows = [
    ...Object.entries(others).flatMap(([name, value]) => windowFrom(name, value)),
    ...models.flatMap((value) => windowFrom(scopedName(value), value)),
  ]
  const isEnabled = extraSchema.safeParse(extra).data?.is_enabled
  const tightest = windows.toSorted((a, b) => (b.utilization ?? 0) - (a.utilization ?? 0))[0]
  return {
    ...tightest,
    status: (tightest?.utilization ?? 0) >= 1 ? 'rejected' : 'allowed',
    windows,
    ...(isEnabled !== undefined && { overage: { inUse: false, status: isEnabled ? 'allowed' : 'rejected' } }),
  }
}

function windowFrom(window: string, value: unknown): readonly LimitWindowHealth[] {
  const found = windowSchema.safeParse(value)
  if (!found.success) return []
  const { utilization, resets_at: reset } = found.data
  const end = new Date(reset ?? Number.NaN)
  const resetsAt = Number.isNaN(end.getTime()) ? undefined : end.toISOString()
  return [{ window: window.slice(0, 60), utilization: utilization / 100, resetsAt }]
}

/** A model's weekly window, in the style of the others: `seven_day_opus`. */
function scopedName(value: unknown): string {
  const name = scopedSchema.safeParse(value).data?.display_name ?? ''
  return `seven_day_${name.toLowerCase().replaceAll(' ', '_')}`
}
