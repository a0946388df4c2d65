import type { Executor } from '../../../../src/executor/executor.ts'
import type { Behaviour, ExecutorFixture } from '../../../contract/executor.ts'

export type Handler = (request: Request) => Response | Promise<Response>

export interface ApiServer extends AsyncDisposable {
  /** No slash at the end. */
  readonly url: string
  /** What it was asked, in order. */
  readonly requests: readonly { readonly url: URL; readonly headers: Headers; readonly body: string }[]
  /** Requests whose reply has not ended. */
  readonly open: number
  /** Resolves once the condition holds of this server. */
  until(condition: (server: ApiServer) => boolean): Promise<void>
}

/** A server on loopback that answers as configured and records its requests. */
export function serveApi(handler: Handler): ApiServer {
  const requests: { url: URL; headers: Headers; body: string }[] = []
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const check of [...waiting]) check()
  }
  let open = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      open++
      const close = once(() => {
        open--
        changed()
      })
      request.signal.addEventListener('abort', close, { once: true })
      const body = await request.clone().text()
      requests.push({ url: new URL(request.url), headers: request.headers, body })
      changed()
      try {
        return await handler(request)
      } finally {
        close()
      }
    },
  })
  const api: ApiServer = {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    get open() {
      return open
    },
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition(api)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return api
}

/** Never answers; the request ends when its caller leaves. */
export function hang(request: Request): Promise<Response> {
  return new Promise((resolve) => {
    request.signal.addEventListener('abort', () => resolve(new Response(null)), { once: true })
  })
}

/** A fixture of the executor contract around a server that succeeds, hangs or fails. */
export function apiFixture(
  behaviour: Behaviour,
  handlers: { readonly succeed: Handler; readonly fail: Handler },
  make: (url: string) => Executor,
): ExecutorFixture {
  const server = serveApi(behaviour === 'hang' ? hang : handlers[behaviour])
  const executor = make(server.url)
  let underWay = 0
  async function* search(...of: Parameters<Executor['search']>) {
    underWay++
    try {
      yield* executor.search(...of)
    } finally {
      underWay--
    }
  }
  return {
    executor: { ...executor, search },
    async running() {
      // The server hears a moment later that a connection has gone.
      if (underWay === 0) await Promise.race([server.until(({ open }) => open === 0), Bun.sleep(5000)])
      return server.open
    },
    started: () => server.requests.length,
    begun: () => server.until(({ requests }) => requests.length > 0),
    dispose: async () => server[Symbol.asyncDispose](),
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}
