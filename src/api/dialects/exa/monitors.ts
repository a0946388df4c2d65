import type { Context, Handler } from 'hono'
import { z } from 'zod'
import { accountOf } from '../../../domain/account.ts'
import { defaultModels } from '../../../domain/model.ts'
import type { MonitorDraft } from '../../../domain/monitor.ts'
import { PageError } from '../../../domain/page.ts'
import type { Monitor, Monitors } from '../../../domain/watches.ts'
import { integerField, optional } from '../../fields/field.ts'
import { readInput } from '../../http/body.ts'
import type { AppEnvironment } from '../../http/exchange.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { Refusal, refused } from '../../http/refusal.ts'
import { validate } from '../../http/validate.ts'
import type { RouteReference } from '../../serve/reference.ts'
import { nameIgnored, type RouteOptions } from '../../serve/route.ts'
import { usableSchema } from '../shared/schema.ts'
import { type MonitorInput, monitorChanges, monitorSchema, periodMs } from './monitor-fields.ts'
import { formatMonitor, formatRun } from './monitor-format.ts'
import { exaSearch, exaSearchSchema } from './search.ts'

type Serve = (options: RouteOptions) => Handler<AppEnvironment>

/** What Exa's client does with monitors: watches of a caller, whose runs are sent to a webhook. */
export const exaMonitors = {
  create: (options) => async (context) => {
    const monitors = monitorsOf(options)
    const sent = await readInput(context.req.raw, Math.min(options.maximumBodyBytes, maxKeptBytes))
    const input = validate(monitorSchema, sent)
    nameIgnored(context, { schema: monitorSchema }, input, sent)
    const made = await atWebhook(monitors.create(draftOf(input, sent, ownerOf(context), 'active')))
    // Only now.
    return jsonReply(context, { ...formatMonitor(made), webhookSecret: made.monitor.secret }, 201)
  },
  list: (options) => async (context) => {
    const { limit, cursor, status } = validate(listFields, context.req.query())
    const all = await monitorsOf(options).list(ownerOf(context))
    const found = all.filter(({ monitor }) => status === undefined || monitor.status === status)
    return jsonReply(context, paged(found, formatMonitor, limit, cursor))
  },
  get: withMonitor(async (context, monitor) => jsonReply(context, formatMonitor(monitor))),
  update: withMonitor(async (context, monitor, monitors, { maximumBodyBytes }) => {
    const sent = await readInput(context.req.raw, Math.min(maximumBodyBytes, maxKeptBytes))
    const { status = monitor.monitor.status, ...changes } = validate(monitorChanges, sent)
    const before = validate(partsOf, monitor.monitor.input)
    const input = {
      ...{ ...before, ...changes },
      search: { ...before.search, ...changes.search },
      webhook: { ...before.webhook, ...changes.webhook },
    }
    // What is changed adds up.
    if (JSON.stringify(input).length > maxKeptBytes) throw new Refusal('too-large', 'The monitor is too large.')
    const draft = draftOf(validate(monitorSchema, input), input, monitor.monitor.owner, status)
    return jsonReply(context, formatMonitor(await atWebhook(monitors.update(monitor, draft))))
  }),
  delete: withMonitor(async (context, monitor, monitors) => {
    await monitors.remove(monitor)
    return jsonReply(context, formatMonitor(monitor))
  }),
  trigger: withMonitor(async (context, monitor, monitors) =>
    jsonReply(context, { triggered: await monitors.trigger(monitor) }),
  ),
  runs: withMonitor(async (context, monitor, monitors) => {
    const { limit, cursor } = validate(listFields, context.req.query())
    return jsonReply(
      context,
      paged(await monitors.runs(monitor), (run) => formatRun(monitor, run), limit, cursor),
    )
  }),
  run: withMonitor(async (context, monitor, monitors) => {
    const run = (await monitors.runs(monitor)).find(({ id }) => id === context.req.param('run'))
    if (!run) throw new Refusal('not-found', 'There is no such run; it may have been deleted.')
    return jsonReply(context, formatRun(monitor, run))
  }),
} satisfies Record<string, Serve>

/** What is sent is kept, and read whenever a monitor is. */
const maxKeptBytes = 64 * 1024

/** What the reference says of a route. */
export function monitorReference(name: keyof typeof exaMonitors): RouteReference {
  const takesBody = name === 'create' || name === 'update'
  return {
    summary: summaries[name],
    schema: name === 'create' ? monitorSchema : name === 'update' ? monitorChanges : z.object({}),
    example: takesBody ? example : {},
    ...(!takesBody && { readsHeaders: true }),
    reply: async () => replies[name],
  }
}

const example = {
  search: { query: 'new heat pumps', numResults: 5 },
  trigger: { type: 'interval', period: '1d' },
  webhook: { url: 'https://example.org/hook', events: ['monitor.run.completed'] },
}

const summaries: Readonly<Record<keyof typeof exaMonitors, string>> = {
  create: 'Search on a schedule, and tell a webhook what is new',
  list: 'The monitors of the caller, `limit` of them behind `cursor`',
  get: 'A monitor',
  update: 'Change a monitor',
  delete: 'Delete a monitor with its runs',
  trigger: 'Run a monitor now',
  runs: 'The last runs of a monitor',
  run: 'A run of a monitor, with what it found',
}

const shown: Monitor = {
  ...{ id: '7d3c1f5e0a524a3c9d526f0f5f4c2a11', everyMs: 86_400_000, seen: {} },
  ...{ createdAt: Date.UTC(2026, 10, 20, 10), nextAt: Date.UTC(2026, 10, 21, 10) },
  request: { query: '', history: [], want: 'results', effort: 'fast', filters: {} },
  monitor: {
    ...{ owner: '', vendor: 'exa', status: 'active', secret: '', updatedAt: Date.UTC(2026, 10, 20, 10) },
    ...{ input: example, webhook: { url: example.webhook.url } },
  },
}

const aRun = formatRun(shown, {
  ...{ id: '0f5f4c2a117d3c1f5e0a524a3c9d526f', monitor: shown.id, status: 'completed' },
  ...{ createdAt: shown.nextAt, startedAt: shown.nextAt, endedAt: shown.nextAt + 4200 },
  results: [{ title: 'Heat pumps', url: 'https://example.org/heat-pumps', source: 'claude' }],
  delivery: { status: 'delivered', attempts: 1 },
})
const aMonitor = formatMonitor(shown)
const replies: Readonly<Record<keyof typeof exaMonitors, unknown>> = {
  create: { ...aMonitor, webhookSecret: 'f00dfeed' },
  list: { data: [aMonitor], hasMore: false, nextCursor: null },
  ...{ get: aMonitor, update: aMonitor, delete: aMonitor },
  trigger: { triggered: true },
  runs: { data: [aRun], hasMore: false, nextCursor: null },
  run: aRun,
}

const listFields = z.object({
  limit: optional(integerField(1, 100)).transform((limit) => limit ?? 50),
  cursor: optional(z.string()),
  status: optional(z.enum(['active', 'paused', 'disabled'])),
})

const partsOf = z.looseObject({ search: z.looseObject({}), webhook: z.looseObject({}) })

function draftOf(input: MonitorInput, sent: unknown, owner: string, status: MonitorDraft['status']): MonitorDraft {
  const { search, trigger, outputSchema, webhook } = input
  const [request] = [exaSearch.parse(validate(exaSearchSchema, search), defaultModels, new Headers())].flat()
  if (!request) throw new Error('A search has one request.')
  const schema = outputSchema?.['type'] === 'text' ? undefined : usableSchema(outputSchema, ['outputSchema'])
  const everyMs = (trigger && periodMs(trigger.period)) ?? 0
  const events = webhook.events?.map(
    (event) => event.replace(/^monitor\./, '') as NonNullable<MonitorDraft['webhook']['events']>[number],
  )
  return { owner, vendor: 'exa', request, everyMs, status, schema, webhook: { url: webhook.url, events }, input: sent }
}

/** What is wrong with the address of a webhook is the caller's fault. */
async function atWebhook(made: Promise<Monitor>): Promise<Monitor> {
  try {
    return await made
  } catch (error) {
    if (error instanceof PageError) throw refused(['webhook', 'url'], error.message.replace(/\.$/, ''))
    throw error
  }
}

function paged<Item extends { readonly id: string }>(
  all: readonly Item[],
  format: (item: Item) => unknown,
  limit: number,
  cursor: string | undefined,
) {
  const begin = all.findIndex(({ id }) => id === cursor) + 1
  const page = all.slice(begin, begin + limit)
  const hasMore = begin + limit < all.length
  return { data: page.map(format), hasMore, nextCursor: hasMore ? (page.at(-1)?.id ?? null) : null }
}

function withMonitor(
  serve: (
    context: Context<AppEnvironment>,
    monitor: Monitor,
    monitors: Monitors,
    options: RouteOptions,
  ) => Promise<Response>,
): Serve {
  return (options) => async (context) => {
    const monitors = monitorsOf(options)
    const id = context.req.param('id') ?? ''
    const found = /^[0-9a-f]{32}$/.test(id) ? await monitors.get(id) : undefined
    if (found?.monitor.owner !== ownerOf(context)) throw new Refusal('not-found', 'There is no such monitor.')
    return serve(context, found, monitors, options)
  }
}

function ownerOf(context: Context<AppEnvironment>): string {
  return accountOf(context.get('exchange').caller)
}

/** Throws a `Refusal` where nothing is watched. */
function monitorsOf({ watches }: RouteOptions): Monitors {
  if (watches) return watches.monitors
  throw new Refusal('jobs-off', 'This server has no monitors: it is the edge, or a program that uses csp as a library.')
}
