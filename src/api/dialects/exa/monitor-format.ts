import type { SearchErrorCode } from '../../../domain/error.ts'
import type { MonitorEvent } from '../../../domain/monitor.ts'
import { never } from '../../../domain/watch.ts'
import type { Monitor, MonitorRun } from '../../../domain/watches.ts'
import { randomId, toHex } from '../../../lib/bytes.ts'
import { validate } from '../../http/validate.ts'
import { jsonText } from '../shared/research-job.ts'
import { formatContents } from './contents-fields.ts'
import { monitorSchema } from './monitor-fields.ts'
import { exaRow } from './search.ts'

/** A monitor as Exa shows it. */
export function formatMonitor({ id, monitor, createdAt, nextAt }: Monitor) {
  const { name, search, trigger, outputSchema, metadata, webhook } = validate(monitorSchema, monitor.input)
  return {
    ...{ id, name: name ?? null, status: monitor.status, search, trigger: trigger ?? null },
    ...{ outputSchema: outputSchema ?? null, metadata: metadata ?? null, webhook },
    nextRunAt: nextAt === never ? null : timeOf(nextAt),
    ...{ createdAt: timeOf(createdAt), updatedAt: timeOf(monitor.updatedAt) },
  }
}

/** One of its runs. What became of the webhook is csp's own. */
export function formatRun({ monitor }: Monitor, run: MonitorRun) {
  const { id, monitor: monitorId, status, createdAt, startedAt, endedAt, failure, results, delivery } = run
  const ended = endedAt === undefined ? null : timeOf(endedAt)
  return {
    ...{ id, monitorId, status, output: results ? outputOf(monitor, run) : null },
    failReason: failure ? (reasons[failure.code] ?? 'search_failed') : null,
    startedAt: startedAt === undefined ? null : timeOf(startedAt),
    ...{ completedAt: failure ? null : ended, failedAt: failure ? ended : null, cancelledAt: null },
    durationMs: startedAt === undefined || endedAt === undefined ? null : endedAt - startedAt,
    ...{ createdAt: timeOf(createdAt), updatedAt: timeOf(endedAt ?? startedAt ?? createdAt) },
    ...(failure && { error: failure.message }),
    ...(delivery && { delivery }),
  }
}

/** What its address is sent, signed. */
export async function monitorNotification(event: MonitorEvent, monitor: Monitor, run?: MonitorRun) {
  const { metadata = null, ...shown } = formatMonitor(monitor)
  const { delivery: _, ...made } = run ? formatRun(monitor, run) : { delivery: undefined }
  const data = { ...(run ? made : shown), metadata }
  const createdAt = new Date()
  const type = `monitor.${event}`
  const id = `event_${run?.id ?? randomId()}`
  const body = JSON.stringify({ id, object: 'event', type, data, createdAt: createdAt.toISOString() })
  const seconds = Math.floor(createdAt.getTime() / 1000)
  const signature = await signed(`${seconds}.${body}`, monitor.monitor.secret)
  const headers = { 'content-type': 'application/json', 'exa-signature': `t=${seconds},v1=${signature}` }
  return { url: monitor.monitor.webhook.url, headers, body }
}

function outputOf({ schema, input }: Monitor['monitor'], { results = [], summary }: MonitorRun) {
  const { search } = validate(monitorSchema, input)
  const { contents } = search
  return {
    results: results.map(({ snippet = '', passages = [], ...row }) => {
      const words = [snippet, ...passages].join('\n')
      return { ...exaRow(row), ...(contents && formatContents(contents, undefined, words)) }
    }),
    content: summary ? (schema ? jsonText(summary.text) : summary.text) : null,
    grounding: summary?.cited.length
      ? [{ field: 'content', citations: summary.cited, confidence: summary.confidence }]
      : [],
  }
}

const reasons: Partial<Record<SearchErrorCode, string>> = {
  'invalid-request': 'invalid_params',
  unauthorized: 'api_key_invalid',
  'rate-limited': 'rate_limited',
  busy: 'rate_limited',
  'signed-out': 'search_unavailable',
  unavailable: 'search_unavailable',
  timeout: 'search_unavailable',
}

/** HMAC-SHA256 in hexadecimal. */
async function signed(text: string, secret: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text))))
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
