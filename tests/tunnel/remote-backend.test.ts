import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import { collect } from '../../src/domain/answer.ts'
import type { Executor, SearchContext } from '../../src/executor/executor.ts'
import { createBackends } from '../../src/runtime/backends.ts'
import { checkBackends } from '../../src/runtime/cli/doctor/check-backends.ts'
import { configSchema } from '../../src/runtime/config/settings.ts'
import { failureOf } from '../support/failure-of.ts'
import { requestFor } from '../support/fake-executor.ts'
import { found, scriptedExecutor } from '../support/scripted-executor.ts'

const key = 'a-key-of-the-tests'
const executor = scriptedExecutor(found(3))
let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  const app = createApp({ executor, version: '1.2.3', keys: [key] })
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
})
afterAll(() => server.stop(true))

/** The one backend of such a configuration. */
function backendWith(remoteKey: string): Executor {
  const [backend] = createBackends(configured(remoteKey))
  if (!backend) throw new Error('There is no backend.')
  return backend
}

function configured(remoteKey: string) {
  return configSchema.parse({ backends: 'remote', remoteUrl: server.url.origin, remoteKey })
}

const context: SearchContext = { signal: new AbortController().signal, caller: 'somebody there' }

test('a remote csp searches under the key that it was given', async () => {
  const backend = backendWith(key)
  const answer = await collect(backend.search(requestFor('harbour seals'), context))
  expect(answer.searches[0]?.results).toHaveLength(3)
  expect(executor.calls[0]?.context.caller).not.toContain('somebody')
  expect(await backend.health()).toMatchObject({ ready: true, backends: [{ name: 'remote', version: '1.2.3' }] })
  expect(await checkBackends(configured(key))).toMatchObject([{ status: 'ok', check: 'remote' }])
})

test('a wrong key of a remote csp is an error of the server, not of the caller', async () => {
  const backend = backendWith('another-key')
  const failure = await failureOf(collect(backend.search(requestFor('harbour seals'), context)))
  expect(failure).toMatchObject({ code: 'signed-out', message: 'remote refuses the key of this csp.' })
  expect(await backend.health()).toMatchObject({
    ready: false,
    backends: [{ problem: 'It refuses the key of this csp.' }],
  })
  expect(await checkBackends(configured('another-key'))).toMatchObject([
    { status: 'fail', message: expect.stringContaining('CSP_REMOTE_KEY') },
  ])
})

test('a remote backend without an address is a configuration error', () => {
  const { error } = configSchema.safeParse({ backends: 'remote' })
  expect(error?.issues[0]?.message).toContain('CSP_REMOTE_URL')
})
