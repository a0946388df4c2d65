import { createHomeApp } from '../../../src/app.ts'
import { connectHome } from '../../../src/runtime/server/tunnel/connect-home.ts'
import { type FakeExecutor, fakeExecutor, type Script } from '../../support/fake-executor.ts'
import { connectSecret } from './edge.ts'

/** A home in this process, with a fake in the place of the CLI. */
export interface TestHome extends AsyncDisposable {
  readonly executor: FakeExecutor
  /** Every request that came through the tunnel: `POST /execute`. */
  readonly messages: readonly string[]
  stop(): Promise<void>
}

/** Connects a home; resolves when the edge has taken it in. */
export async function startHome(
  url: string,
  script?: Script,
  name = 'test-home',
  defaultModel?: string,
): Promise<TestHome> {
  const executor = fakeExecutor(script)
  const app = createHomeApp({ executor, version: 'test', defaultModel })
  const messages: string[] = []
  const connected = Promise.withResolvers<void>()
  const link = connectHome({
    url,
    secret: connectSecret,
    home: name,
    capacity: 100,
    handler: (request) => {
      messages.push(`${request.method} ${new URL(request.url).pathname}`)
      return app.fetch(request)
    },
    onState: (state) => {
      if (state.name === 'connected') connected.resolve()
      if (state.name === 'refused') connected.reject(new Error(state.refusal.message))
    },
  })
  await connected.promise
  const stop = async () => {
    await link.stop(AbortSignal.abort())
    await link.ended
    await executor.close()
  }
  return { executor, messages, stop, [Symbol.asyncDispose]: stop }
}
