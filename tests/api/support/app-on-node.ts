import { createMemoryStorage } from 'ocache'
import { createApp } from '../../../src/app.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { createStack } from '../../../src/executor/layers/stack.ts'
import { signLogin, verifyLogin } from '../../../src/tunnel/login.ts'
import { protocolVersion } from '../../../src/tunnel/protocol.ts'
import { fakeExecutor } from '../../support/fake-executor.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'

// Runs in Node.js: a whole csp but its runtime, asked in several dialects. Prints the statuses.

const executor = createStack([fakeExecutor()], {
  cache: { ttlSeconds: 60, storage: createMemoryStorage() },
  paging: { ttlSeconds: 60 },
  meter: new Budget({ ledger: memoryLedger() }),
})
const app = createApp({ executor, version: 'test', keys: ['a-key'], allowedHosts: ['*'] })
const headers = { authorization: 'Bearer a-key' }
const chat = (stream: boolean) => ({
  method: 'POST',
  headers,
  body: JSON.stringify({ model: 'sonar', stream, messages: [{ role: 'user', content: 'bees' }] }),
})
const replies = [
  await app.request('/v1/search?q=bees', { headers }),
  await app.request('/res/v1/web/search?q=bees', { headers }),
  await app.request('/v1/chat/completions', chat(false)),
  await app.request('/v1/chat/completions', chat(true)),
  await app.request('/health', { headers }),
]
for (const reply of replies) await reply.text()
const login = await signLogin('0123456789abcdef', {
  home: 'here',
  capacity: 1,
  version: protocolVersion,
  edge: 'edge.example',
})
const verdict = await verifyLogin(() => '0123456789abcdef', login, 'edge.example')
console.log(JSON.stringify([...replies.map(({ status }) => status), 'nonce' in verdict]))
