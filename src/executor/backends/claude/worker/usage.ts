import { z } from 'zod'
import { type LimitWindowHealth, type RateLimitHealth, tightestOf } from '../../../../domain/health.ts'

/** The last second that a date can have. */
const maxSeconds = 8.64e12

/** The largest share of a window: a used-up one has 1, and a little more where requests ran at its end. */
const maxShare = 1000

const word = z.string().max(100).optional().catch(undefined)
const share = z.number().min(0).max(maxShare).optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)
/** Seconds since 1970, as ISO 8601. */
const moment = z
  .number()
  .min(0)
  .max(maxSeconds)
  .transform((seconds) => new Date(seconds * 1000).toISOString())
  .optional()
  .catch(undefined)

const limitWindow = z.object({ status: word, resetsAt: moment, utilization: share })

/** The fields of the CLI's `rate_limit_event`. */
export const limitInfo = z.object({
  status: z.string(),
  resetsAt: moment,
  rateLimitType: word,
  utilization: share,
  unifiedWindows: z.record(z.string(), limitWindow.optional().catch(undefined)).optional().catch(undefined),
  isUsingOverage: flag,
  overageInUse: flag,
  dailyCapPaused: flag,
  overageStatus: word,
  overageResetsAt: moment,
  overageDisabledReason: word,
})

/** The usage limit from a `rate_limit_event`. */
export function limitFrom(info: z.infer<typeof limitInfo>): RateLimitHealth {
  const { status, rateLimitType: window, utilization, resetsAt, unifiedWindows = {} } = info
  const { isUsingOverage, overageInUse, overageStatus, overageDisabledReason, overageResetsAt, dailyCapPaused } = info
  const windows = Object.entries(unifiedWindows).flatMap(([name, found]) => (found ? [{ window: name, ...found }] : []))
  const isOverageKnown = [isUsingOverage, overageInUse, overageStatus].some((field) => field !== undefined)
  return {
    status,
    window,
    resetsAt,
    utilization,
    windows: windows.length > 0 ? windows : undefined,
    overage: isOverageKnown
      ? {
          inUse: isUsingOverage === true || overageInUse === true,
          ...{
            status: overageStatus,
            disabledReason: overageDisabledReason,
            resetsAt: overageResetsAt,
            dailyCapPaused,
          },
        }
      : undefined,
  }
}

/** A window as the CLI's `get_usage` describes it: percent of it, and when it resets. */
const windowSchema = z.object({
  utilization: z
    .number()
    .min(0)
    .max(maxShare * 100),
  resets_at: z.string().nullish(),
})

const usageSchema = z.object({
  rate_limits_available: z.literal(true),
  rate_limits: z.record(z.string(), z.unknown()).nullable(),
})

const scopedSchema = z.object({ display_name: z.string() })

const extraSchema = z.object({ is_enabled: z.boolean() })

/**
 * The usage limit from the answer to `get_usage`. `undefined` if the CLI cannot know it: with a token in its
 * environment, an API key or another server. Windows that a plan lacks are `null` there, and unknown ones keep their
 * names. Throws if its server did not answer, which may be otherwise soon.
 */
export function usageFrom(answer: unknown): RateLimitHealth | undefined {
  const found = usageSchema.safeParse(answer)
  if (!found.success) return undefined
  if (!found.data.rate_limits) throw new Error('Claude does not say now how much of the plan is used.')
  const { model_scoped: scoped, extra_usage: extra, ...others } = found.data.rate_limits
  const models = z.array(z.unknown()).safeParse(scoped).data ?? []
  const windows = [
    ...Object.entries(others).flatMap(([name, value]) => windowFrom(name, value)),
    ...models.flatMap((value) => windowFrom(scopedName(value), value)),
  ]
  const isEnabled = extraSchema.safeParse(extra).data?.is_enabled
  const tightest = tightestOf(windows)
  return {
    ...tightest,
    status: tightest?.status ?? 'allowed',
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
  const status = utilization >= 100 ? 'rejected' : 'allowed'
  return [{ window: window.slice(0, 60), status, utilization: utilization / 100, resetsAt }]
}

/** A model's weekly window, in the style of the others: `seven_day_opus`. */
function scopedName(value: unknown): string {
  const name = scopedSchema.safeParse(value).data?.display_name ?? ''
  return `seven_day_${name.toLowerCase().replaceAll(' ', '_')}`
}

/** What a limit says that the one before did not, for the log. */
export function limitNews(limit: RateLimitHealth, before: RateLimitHealth | undefined): string | undefined {
  const isNews = limit.status !== before?.status || limit.window !== before.window
  if (!isNews || limit.status === 'allowed') return undefined
  const others = limit.windows?.filter(({ window }) => window !== limit.window) ?? []
  return `The usage limit of this subscription: ${[limit, ...others].map(limitInWords).join('; ')}.`
}

/** `five_hour allowed_warning, 91 % used, until …` */
function limitInWords({ status, window, utilization, resetsAt }: LimitWindowHealth): string {
  const used = utilization === undefined ? '' : `, ${Math.round(utilization * 100)} % used`
  const end = resetsAt ? `, until ${resetsAt}` : ''
  return `${[window, status].filter(Boolean).join(' ')}${used}${end}`
}
