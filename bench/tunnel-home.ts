import { whenAborted } from '@csp/lib/abort'
import { createHomeApp } from '../src/app.ts'
import { connectHome } from '../src/runtime/server/tunnel/connect-home.ts'
import { answers, fakeExecutor } from '../tests/support/fake-executor.ts'

// A home for bench/tunnel.ts: it answers immediately, except that a search for `hang` never ends. It prints each state of
// its link as a line of JSON.

const [edge = '', secret = '', home = 'bench'] = process.argv.slice(2)

const executor = fakeExecutor(async function* (request, signal) {
  for await (const event of answers(request)) {
    if (event.type === 'done' && request.query === 'hang') await whenAborted(signal)
    yield event
  }
})

const app = createHomeApp({ executor, version: 'bench' })
connectHome({
  ...{ url: edge, secret, home, capacity: 100, handler: (request) => app.fetch(request) },
  onState: ({ name }) => console.log(JSON.stringify({ name, at: Date.now() })),
})
