import { createHomeApp } from '../../../../src/app.ts'
import { remote } from '../../../../src/executor/backends/remote/remote.ts'
import type { Fetcher } from '../../../../src/executor/wire/fetcher.ts'
import { urlFetcher } from '../../../../src/executor/wire/fetcher.ts'
import { type Behaviour, executorContract } from '../../../contract/executor.ts'
import { answers, type FakeExecutor, fails, fakeExecutor, hangs } from '../../../support/fake-executor.ts'

const scripts = { succeed: answers, hang: hangs, fail: fails('rate-limited') }

function farCsp(behaviour: Behaviour): {
  far: FakeExecutor
  fetch: (request: Request) => Response | Promise<Response>
} {
  const far = fakeExecutor(scripts[behaviour])
  const app = createHomeApp({ executor: far, version: '1.2.3' })
  return { far, fetch: (request) => app.fetch(request) }
}

const ready = async () => ({ ready: true, backends: [{ name: 'remote', ready: true }] })

executorContract('remote, in the same process', {
  failure: 'rate-limited',
  factory(behaviour) {
    const { far, fetch } = farCsp(behaviour)
    return {
      executor: remote({ fetcher: { fetch: async (request) => fetch(request) }, health: ready }),
      running: () => far.running,
      started: () => far.requests.length,
      begun: () => far.begun(),
    }
  },
})

executorContract('remote, by URL', {
  failure: 'rate-limited',
  factory(behaviour) {
    const { far, fetch } = farCsp(behaviour)
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch })
    const { fetcher, open } = counted(urlFetcher(`http://127.0.0.1:${server.port}/`, 'a-key'))
    return {
      executor: remote({ fetcher, health: ready }),
      // What runs far away stops by itself, soon: here it counts what holds a connection.
      running: open,
      started: () => far.requests.length,
      begun: () => far.begun(),
      dispose: () => server.stop(true),
    }
  },
})

/** A fetcher that knows how many of its replies are neither read to their end nor let go of. */
function counted(fetcher: Fetcher): { fetcher: Fetcher; open: () => number } {
  const open = new Set<symbol>()
  return {
    open: () => open.size,
    fetcher: {
      async fetch(request) {
        const mine = Symbol()
        open.add(mine)
        const settle = () => open.delete(mine)
        try {
          const response = await fetcher.fetch(request)
          const reader = response.body?.getReader()
          const body = new ReadableStream<Uint8Array>({
            async pull(controller) {
              try {
                const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
                if (!done) return controller.enqueue(value)
                settle()
                controller.close()
              } catch (error) {
                settle()
                controller.error(error)
              }
            },
            async cancel(reason) {
              await reader?.cancel(reason)
              settle()
            },
          })
          return new Response(body, response)
        } catch (error) {
          settle()
          throw error
        }
      },
    },
  }
}
