import { collect } from '../domain/answer.ts'
import { SearchError, toSearchError } from '../domain/error.ts'
import { countVerdicts } from '../domain/evidence.ts'
import type { MonitorDraft, MonitorEvent } from '../domain/monitor.ts'
import type { Answer, SearchResult } from '../domain/search.ts'
import { type FoundEntry, never, type Watch } from '../domain/watch.ts'
import type { Monitor, MonitorRun, MonitorSummary, Monitors } from '../domain/watches.ts'
import type { Executor } from '../executor/executor.ts'
import { randomId } from '../lib/bytes.ts'
import { messageOf } from '../lib/errors.ts'
import { type DeliveriesOptions, deliveries, type Notification } from './deliveries.ts'
import type { WatchStore } from './watch-store.ts'

/** What monitors need besides what watches do. */
export interface MonitoringOptions extends Omit<DeliveriesOptions, 'signal'> {
  /** Throws a `PageError` for an address that nothing may be sent to. */
  readonly checkAddress: (url: string) => Promise<void>
  /** What its address is told of a monitor or one of its runs, in the words of its vendor. */
  readonly write: (event: MonitorEvent, monitor: Monitor, run?: MonitorRun) => Promise<Notification>
  /** Whether an account may search still: its key may have been removed. */
  readonly mayRun: (owner: string) => Promise<boolean>
}

export interface MonitorParts extends MonitoringOptions {
  readonly store: () => WatchStore
  readonly isThere: () => boolean
  readonly executor: Executor
  readonly signal: AbortSignal
  readonly log: (level: 'info' | 'warning', message: string) => void
  readonly now: () => number
  /** Runs what is due. */
  readonly resume: () => void
}

/** How the runs of monitors are kept and told. */
export interface MonitorRuns extends Monitors {
  begin(monitor: Monitor): MonitorRun
  /** Throws if its owner may not search any more. */
  admit(monitor: Monitor): Promise<void>
  /** Writes about what is new. Throws only when aborted. */
  summarise(monitor: Monitor, results: readonly SearchResult[]): Promise<MonitorSummary | undefined>
  end(monitor: Monitor, run: MonitorRun, outcome: Pick<MonitorRun, 'failure' | 'results' | 'summary'>): void
  /** Tells what an earlier process has left untold. */
  resumeDeliveries(): void
}

/** Of one owner, and of all. */
const maxMonitors = { each: 20, all: 50 }

/** Watches of callers, whose runs are kept and told to the addresses that they name. */
export function monitorRuns(parts: MonitorParts): MonitorRuns {
  const { store, isThere, executor, signal, log, now } = parts
  const deliver = deliveries(parts)
  const all = (): readonly Monitor[] => (isThere() ? store().list().filter(isMonitor) : [])
  const wants = ({ monitor }: Monitor, event: MonitorEvent) => monitor.webhook.events?.includes(event) ?? true
  const tell = async (event: MonitorEvent, monitor: Monitor, run?: MonitorRun): Promise<void> => {
    if (!wants(monitor, event)) return
    const delivery = await deliver(monitor.monitor.owner, () => parts.write(event, monitor, run))
    if (delivery.problem !== undefined) log('warning', `a webhook was not delivered: ${delivery.problem}`)
    if (run && event === 'run.completed' && !signal.aborted) store().saveRun({ ...run, delivery })
  }
  const told = (event: MonitorEvent, monitor: Monitor, run?: MonitorRun) =>
    void tell(event, monitor, run).catch((error) => log('warning', `a run cannot be kept: ${messageOf(error)}`))
  const settingsOf = (draft: MonitorDraft, secret: string) => {
    const { request: _, everyMs: __, ...settings } = draft
    return { ...settings, secret, updatedAt: now() }
  }
  const openRun = ({ id }: Watch) =>
    store()
      .runs(id)
      .find(({ endedAt }) => endedAt === undefined)
  const newRun = ({ id }: Watch): MonitorRun => ({ id: randomId(), monitor: id, status: 'pending', createdAt: now() })

  return {
    async create(draft) {
      await parts.checkAddress(draft.webhook.url)
      // Others may have come while it was checked.
      const known = all()
      const own = known.filter(({ monitor }) => monitor.owner === draft.owner)
      for (const [most, count] of [[maxMonitors.each, own.length] as const, [maxMonitors.all, known.length] as const]) {
        if (count >= most) throw new SearchError('busy', `There are ${most} monitors already. Delete one.`)
      }
      const { request, everyMs } = draft
      const monitor = settingsOf(draft, randomId() + randomId())
      const draftOf = { id: randomId(), request, everyMs, createdAt: now(), nextAt: now(), seen: {}, monitor }
      const made = { ...draftOf, nextAt: nextRun(draftOf, now()) }
      store().add(made)
      told('created', made)
      parts.resume()
      return made
    },
    get: async (id) => {
      const found = isThere() ? store().get(id) : undefined
      return found && isMonitor(found) ? found : undefined
    },
    list: async (owner) =>
      all()
        .filter(({ monitor }) => monitor.owner === owner)
        .toReversed(),
    async update(before, draft) {
      if (draft.webhook.url !== before.monitor.webhook.url) await parts.checkAddress(draft.webhook.url)
      const { request, everyMs } = draft
      const changed = { ...before, request, everyMs, monitor: settingsOf(draft, before.monitor.secret) }
      // A run that was asked for is made.
      const nextAt = before.nextAt <= now() ? before.nextAt : nextRun(changed, now())
      store().change({ ...changed, nextAt })
      told('updated', { ...changed, nextAt })
      parts.resume()
      return { ...changed, nextAt }
    },
    async remove(monitor) {
      store().remove(monitor.id)
      told('deleted', monitor)
    },
    async trigger(monitor) {
      if (monitor.monitor.status === 'disabled' || openRun(monitor)) return false
      store().saveRun(newRun(monitor))
      store().change({ ...monitor, nextAt: now() })
      parts.resume()
      return true
    },
    runs: async ({ id }) => store().runs(id),
    begin(monitor) {
      const run = { ...(openRun(monitor) ?? newRun(monitor)), status: 'running', startedAt: now() } as const
      store().saveRun(run)
      told('run.created', monitor, run)
      return run
    },
    async admit({ monitor }) {
      if (await parts.mayRun(monitor.owner)) return
      throw new SearchError('unauthorized', 'The key of this monitor was removed.')
    },
    async summarise({ request, monitor }, results) {
      const sources = results.filter(({ snippet }) => snippet)
      if (sources.length === 0) return undefined
      const { query, filters } = request
      const writing = { query, filters, sources, history: [], want: 'answer', effort: 'standard' } as const
      const context = { signal, caller: monitor.owner, isWhole: true }
      try {
        return summaryOf(await collect(executor.search({ ...writing, schema: monitor.schema }, context)))
      } catch (error) {
        if (signal.aborted) throw error
        log('warning', `a monitor wrote nothing: ${toSearchError(error).message}`)
        return undefined
      }
    },
    end({ id }, run, outcome) {
      const monitor = store().get(id)
      // It may be gone by now.
      if (!monitor || !isMonitor(monitor)) return
      if (outcome.failure?.code === 'unauthorized') {
        store().change({ ...monitor, nextAt: never, monitor: { ...monitor.monitor, status: 'disabled' } })
      }
      const delivery = wants(monitor, 'run.completed') ? ({ status: 'pending', attempts: 0 } as const) : undefined
      const status = outcome.failure ? 'failed' : 'completed'
      const ended: MonitorRun = { ...run, ...outcome, status, endedAt: now(), delivery }
      store().saveRun(ended)
      told('run.completed', monitor, ended)
    },
    resumeDeliveries() {
      for (const run of store().runs()) {
        const monitor = store().get(run.monitor)
        if (monitor && isMonitor(monitor)) told('run.completed', monitor, run)
      }
    },
  }
}

/** Whether a caller made it. */
export function isMonitor(watch: Watch): watch is Monitor {
  return watch.monitor !== undefined
}

/** When a watch is due after this time. A monitor keeps to the time of day at which it was made. */
export function nextRun({ everyMs, createdAt, monitor }: Omit<Watch, 'nextAt'>, after: number): number {
  if (!monitor) return after + everyMs
  if (everyMs === 0 || monitor.status !== 'active') return never
  // Made under a clock that was ahead.
  if (createdAt > after) return after + everyMs
  return createdAt + (Math.floor((after - createdAt) / everyMs) + 1) * everyMs
}

/** The rows that entries are about, with their words. */
export function freshRows(entries: readonly FoundEntry[], rows: readonly SearchResult[]): readonly SearchResult[] {
  const byUrl = new Map(rows.map((row) => [row.url, row]))
  return entries.flatMap(({ url, passages: [snippet, ...passages] }) => {
    const row = byUrl.get(url)
    return row ? [{ ...row, snippet, passages: passages.length > 0 ? passages : undefined }] : []
  })
}

function summaryOf({ text, citations, evidence = [] }: Answer): MonitorSummary {
  const cited = new Map(citations.map(({ url, title }) => [url, { url, title }]))
  const { found, 'not-found': missing } = countVerdicts(evidence)
  const isSure = evidence.length > 0 && found === evidence.length
  return { text, cited: [...cited.values()], confidence: isSure ? 'high' : missing > 0 ? 'low' : 'medium' }
}
