import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import type { LinkState } from '../../../src/runtime/server/tunnel/connect-home.ts'
import type { TunnelStatus } from '../../../src/tunnel/status.ts'
import { workerModules } from '../../support/worker-modules.ts'

/** What home and edge share in these tests. */
export const secret = 'a-secret-of-the-tests'

export interface Edge extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  status(): Promise<TunnelStatus>
  dispose(): Promise<void>
}

/** A Worker with the tunnel behind it, in real workerd. */
export async function startEdge(port = 0): Promise<Edge> {
  const miniflare = new Miniflare({
    modules: await modules,
    compatibilityDate: '2026-07-30',
    compatibilityFlags: ['enable_request_signal'],
    host: '127.0.0.1',
    port,
    cf: false,
    durableObjects: { HOMES: { className: 'TestTunnel', useSQLite: true } },
    bindings: { CSP_CONNECT_SECRET: secret },
  })
  const url = (await miniflare.ready).origin
  const dispose = () => miniflare.dispose()
  return {
    url,
    dispose,
    [Symbol.asyncDispose]: dispose,
    status: async () => (await (await fetch(`${url}/status`)).json()) as TunnelStatus,
  }
}

const modules = workerModules(join(import.meta.dir, 'test-worker.ts'))

/** Where a link stood, one after the other, and a way to wait for it. */
export class States {
  readonly all: LinkState[] = []
  readonly #waiting = new Set<() => void>()

  readonly add = (state: LinkState): void => {
    this.all.push(state)
    for (const check of this.#waiting) check()
  }

  /** Resolves once it has stood there so often. */
  reached<Name extends LinkState['name']>(name: Name, times = 1): Promise<Extract<LinkState, { name: Name }>> {
    return new Promise((resolve) => {
      const check = () => {
        const found = this.all.filter((state): state is Extract<LinkState, { name: Name }> => state.name === name)
        const last = found[times - 1]
        if (!last) return
        this.#waiting.delete(check)
        resolve(last)
      }
      this.#waiting.add(check)
      check()
    })
  }
}
