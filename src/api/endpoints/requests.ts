import type { RecentRequest } from '../exchange/recent-requests.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

/**
 * Reports the last fifty requests, the newest first, never what was asked. A caller with a key sees only that key's.
 *
 * ```json
 * {"object": "requests", "key": null, "requests": [{"id": "…", "at": "…", "method": "POST", "path": "/chat/completions",
 *  "status": 200, "code": null, "cache": "miss", "ms": 4142, "queued_ms": 0, "upstream_ms": 4130, "own_ms": 12, …}]}
 * ```
 */
export const requests: OwnEndpoint = {
  reference: {
    summary: 'The last fifty requests, the newest first, never what was asked',
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
          status: 200,
          ms: 4200,
        },
      ],
    },
  },
  mount(app, paths, { recent }) {
    app.on('GET', paths, (context) => {
      const { key } = context.get('exchange')
      const name = key?.isLocal ? undefined : key?.name
      const entries = recent.list(name).map(formatRequest)
      return jsonReply(context, { object: 'requests', key: name ?? null, requests: entries })
    })
  },
}

function formatRequest(entry: RecentRequest) {
  return {
    id: entry.id,
    at: entry.at,
    key: entry.caller ?? null,
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
    own_ms: entry.ownMs ?? null,
  }
}

/** Paths of callers who look for what is not there. */
const maxPath = 200
