import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryBackend } from '../../../src/executor/backends/memory/memory.ts'
import { messages } from '../../../src/executor/backends/messages/messages.ts'
import { MemoryFile } from '../../../src/storage/page-memory/memory-file.ts'
import { listerContract } from '../../contract/lister.ts'
import { startClaude } from '../../support/claude-executor.ts'
import { startListingSandbox } from '../../support/listing-sandbox.ts'

// One CLI for all tests: it takes half a second of a core to start.
let found: readonly string[] = []
const on = startListingSandbox(() => found)
const claude = await startClaude({ on })
afterAll(async () => {
  await claude[Symbol.asyncDispose]()
  await on.stop()
})

listerContract('claude', {
  factory(urls) {
    found = urls
    return { executor: claude.engine, [Symbol.asyncDispose]: async () => {} }
  },
})

listerContract('messages', {
  factory(urls) {
    const { url, stop } = startListingSandbox(() => urls)
    const executor = messages({ apiKey: 'sk-x', model: 'sonnet', url, version: '1', requestsPerSecond: 0 })
    return { executor, [Symbol.asyncDispose]: stop }
  },
})

listerContract('memory', {
  isFree: true,
  factory(urls) {
    const folder = mkdtempSync(join(tmpdir(), 'csp-lister-'))
    const file = new MemoryFile({ path: join(folder, 'memory.sqlite'), maxBytes: 50e6 })
    // What has more of the words is found first, and of equal pages the one that was seen last is kept.
    const seen = urls.map((url, place) => ({
      ...{ url, title: `On ${place}`, text: 'All of seals. '.repeat(urls.length - place) },
      ...{ extent: 'whole' as const, owner: '' },
    }))
    file.keep(seen.toReversed())
    return {
      executor: memoryBackend({ scope: 'all', memory: { recall: async (recall) => file.recall(recall) } }),
      async [Symbol.asyncDispose]() {
        file.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
})
