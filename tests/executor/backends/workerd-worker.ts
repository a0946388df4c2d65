import { collect } from '../../../src/domain/answer.ts'
import { toSearchError } from '../../../src/domain/error.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import { brave } from '../../../src/executor/backends/brave/brave.ts'
import { messages } from '../../../src/executor/backends/messages/messages.ts'
import { searxng } from '../../../src/executor/backends/searxng/searxng.ts'

/** The request to the worker: backend, server and query. */
export interface Task {
  readonly backend: 'brave' | 'messages' | 'searxng'
  readonly url: string
  readonly request: SearchRequest
  /** The search is left after so many ms. */
  readonly leaveAfterMs?: number | undefined
}

export default {
  async fetch(given: Request): Promise<Response> {
    // The trust boundary: the test sends it.
    const { backend, url, request, leaveAfterMs } = (await given.json()) as Task
    const limits = { version: '1.2.3', requestsPerSecond: 0, url }
    const executor = {
      brave: () => brave({ ...limits, key: 'key' }),
      messages: () => messages({ ...limits, apiKey: 'key', model: 'sonnet' }),
      searxng: () => searxng(limits),
    }[backend]()
    const leaving = new AbortController()
    if (leaveAfterMs !== undefined) setTimeout(() => leaving.abort(), leaveAfterMs)
    try {
      return Response.json(await collect(executor.search(request, { signal: leaving.signal })))
    } catch (error) {
      const { code, message } = toSearchError(error)
      return Response.json({ code, message }, { status: 500 })
    }
  },
}
