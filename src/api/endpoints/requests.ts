import { kindOf, type RecentRequest, type UsualTime } from '../exchange/recent-requests.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

/**
 * Reports the last fifty requests, the newest first, never what was asked, and how long each kind of search usually
 * takes. A caller with a key sees only that key's.
 *
 * ```json
 * {"object": "requests", "key": null, "requests": [{"id": "…", "at": "…", "method": "POST", "path": "/chat/completions",
 *  "status": 200, "code": null, "cache": "miss", "ms": 4142, "queued_ms": 0, "upstream_ms": 3130, "pages_ms": 1000, "own_ms": 12, …}],
 *  "usual": [{"kind": "standard", "count": 12, "ms": 4142, "queued_ms": 0, "upstream_ms": 3130, "pages_ms": 1000, "own_ms": 12}]}
 * ```
 */
export const requests: OwnEndpoint = {
  reference: {
    summary: 'The last fifty requests, never what was asked, and how long each kind usually takes',
    reply: {
      object: 'requests',
      key: null,
      requests: [
        {
          id: '7d3c1f5e',
          at: '2026-11-20T10:00:04.200Z',
          method: 'POST',
          path: '/v1/search',
          dialect: 'native',
          client: 'Cursor',
          kind: 'list',
          status: 200,
          ms: 4200,
          queued_ms: 0,
          upstream_ms: 3100,
          pages_ms: 1000,
          own_ms: 100,
        },
      ],
      usual: [{ kind: 'list', count: 12, ms: 2800, queued_ms: 0, upstream_ms: 1800, pages_ms: 900, own_ms: 100 }],
    },
  },
  mount(app, paths, { recent, now }) {
    app.on('GET', paths, (context) => {
      const { key } = context.get('exchange')
      const name = key?.isLocal ? undefined : key?.name
      const entries = recent.list(name).map(formatRequest)
      const usual = recent.usualTimes(now(), name).map(formatUsual)
      return jsonReply(context, { object: 'requests', key: name ?? null, requests: entries, usual })
    })
  },
}

function formatRequest(entry: RecentRequest) {
  return {
    id: entry.id,
    at: entry.at,
    key: entry.caller ?? null,
    client: entry.client ?? null,
    kind: kindOf(entry) ?? null,
    method: entry.method,
    path: entry.path.slice(0, maxPath),
    dialect: entry.dialect,
    status: entry.status,
    code: entry.code ?? null,
    cache: entry.cache ?? null,
    backend: entry.backend ?? null,
    model: entry.model ?? null,
    effort: entry.want === 'answer' ? (entry.effort ?? null) : null,
    results: entry.results ?? null,
    pages: entry.pages ?? null,
    ms: entry.ms,
    queued_ms: entry.queuedMs ?? null,
    upstream_ms: entry.upstreamMs ?? null,
    pages_ms: entry.pagesMs ?? null,
    own_ms: entry.ownMs ?? null,
  }
}

function formatUsual({ kind, count, ms, queuedMs, upstreamMs, pagesMs, ownMs }: UsualTime) {
  return { kind, count, ms, queued_ms: queuedMs, upstream_ms: upstreamMs, pages_ms: pagesMs, own_ms: ownMs }
}

/** Paths of callers who look for what is not there. */
const maxPath = 200
