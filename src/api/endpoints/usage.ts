import { z } from 'zod'
import type { BackendHealth, LimitHealth, LimitWindowHealth, PlanHealth } from '../../domain/health.ts'
import { daysKept, type Spending } from '../../executor/layers/metering/ledger.ts'
import { type DayReport, reportUsage, type UsageReport } from '../../executor/layers/metering/usage-report.ts'
import { integerField, optional } from '../fields/field.ts'
import { jsonReply } from '../http/json-reply.ts'
import { type OwnEndpoint, validQuery } from './own-endpoint.ts'

const schema = z.object({ days: optional(integerField(1, daysKept)) })

/**
 * Reports spending today and on earlier days (`?days=7`), by key and by backend, upstreams of the gateway
 * as `gateway/NAME` and fetched pages as `pages` among them; the use of the limits; and the
 * backends' own limits. A caller with a key sees only that key's spending, and the limits of all keys together.
 *
 * ```json
 * {"object": "usage", "key": "phone", "time_zone": "UTC", "warning": null,
 *  "limits": [{"key": null, "kind": "searches", "window": "day", "limit": 100, "used": 3, "left": 97, "resets_at": "…"}],
 *  "backends": [{"name": "claude", "rate_limit": {"status": "allowed", "window": "five_hour", "utilization": 0.4, "resets_at": "…"}}],
 *  "cache": {"hits": 1, "stale": 0, "misses": 3},
 *  "days": [{"day": "2026-11-20", "requests": 3, "failures": 0, "searches": 3, "input_tokens": 9, "output_tokens": 4, "pages": 20,
 *            "by_key": {"phone": {"requests": 3, …}}, "by_backend": {"claude": {…}}}],
 *  "keys": [{"name": "phone", "last_used": "2026-11-20T10:00:04.200Z"}]}
 * ```
 *
 * When a key was last used is known to the day for what was before the start of the process, and `null` before `days`.
 * Days are UTC days, the latest first. A request that the cache answered is in `cache` only, which counts from the
 * start of the process.
 */
export const usage: OwnEndpoint = {
  reference: {
    summary: 'What was spent by day, key and backend, and the limits',
    reply: {
      object: 'usage',
      key: null,
      time_zone: 'UTC',
      warning: null,
      limits: [
        {
          key: null,
          kind: 'searches',
          window: 'day',
          limit: 500,
          used: 3,
          left: 497,
          resets_at: '2026-11-21T00:00:00Z',
        },
      ],
      days: [
        { day: '2026-11-20', requests: 3, failures: 0, searches: 3, input_tokens: 5520, output_tokens: 288, pages: 20 },
      ],
      backends: [{ name: 'claude', rate_limit: null }],
      cache: { hits: 1, stale: 0, misses: 3 },
      keys: [],
    },
    query: schema,
  },
  mount(app, paths, { executor, budget, now, recent, keyNames }) {
    app.on('GET', paths, validQuery(schema), async (context) => {
      const { days = 7 } = context.req.valid('query')
      const name = context.get('exchange').key?.name
      const report = budget && (await reportUsage(budget, now().getTime(), days, name))
      const { backends, cache } = await executor.health()
      const names = name === undefined || context.get('exchange').key?.isLocal ? await keyNames() : [name]
      return jsonReply(context, {
        object: 'usage',
        key: name ?? null,
        time_zone: 'UTC',
        ...formatReport(report ?? { days: [], limits: [], warning: undefined }),
        backends: backends.map(({ name, rateLimit, plan }) => ({
          name,
          rate_limit: formatRateLimit(rateLimit),
          ...(plan && { plan: formatPlan(plan) }),
        })),
        cache: cache ? { hits: cache.hits, stale: cache.stale, misses: cache.misses } : null,
        keys: names.map((key) => ({
          name: key,
          last_used: recent.lastUseOf(key) ?? report?.days.find(({ byCaller }) => byCaller[key])?.day ?? null,
        })),
      })
    })
  },
}

/** The part of the reply that comes from the ledger. */
export function formatReport({ warning, limits, days }: UsageReport) {
  return { warning: warning ?? null, limits: limits.map(formatLimit), days: days.map(formatDay) }
}

/** A limit in snake case, like the rest of the reply. */
export function formatLimit({ caller, kind, window, limit, used, left, resetsAt }: LimitHealth) {
  return { key: caller ?? null, kind, window, limit, used, left, resets_at: resetsAt }
}

function formatDay({ day, total, byCaller, byBackend }: DayReport) {
  return { day, ...formatSpending(total), by_key: formatAll(byCaller), by_backend: formatAll(byBackend) }
}

function formatAll(groups: Readonly<Record<string, Spending>>) {
  return Object.fromEntries(Object.entries(groups).map(([name, spent]) => [name, formatSpending(spent)]))
}

function formatSpending({ requests, failures, searches, inputTokens, outputTokens, pages = 0 }: Spending) {
  return { requests, failures, searches, input_tokens: inputTokens, output_tokens: outputTokens, pages }
}

/** A backend's own limit as last reported; `null` if never. */
export function formatRateLimit(limit: BackendHealth['rateLimit']) {
  if (!limit) return null
  const { status, windows, overage } = limit
  return {
    ...formatWindow(limit),
    status,
    ...(windows && { windows: windows.map(formatWindow) }),
    ...(overage && {
      overage: {
        in_use: overage.inUse,
        status: overage.status ?? null,
        disabled_reason: overage.disabledReason ?? null,
        resets_at: overage.resetsAt ?? null,
        daily_cap_paused: overage.dailyCapPaused ?? false,
      },
    }),
  }
}

/** What is kept of a backend's plan, and what waits for that. */
export function formatPlan({ reserve, planOnly, paused, readAt }: PlanHealth) {
  return {
    reserve,
    plan_only: planOnly,
    paused: paused ? { kinds: paused.kinds, reason: paused.reason, until: paused.until ?? null } : null,
    read_at: readAt ?? null,
  }
}

function formatWindow({ status, window, utilization, resetsAt }: LimitWindowHealth) {
  return {
    status: status ?? null,
    window: window ?? null,
    utilization: utilization ?? null,
    resets_at: resetsAt ?? null,
  }
}
