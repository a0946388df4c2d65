import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Recall } from '../../../../src/domain/recall.ts'
import type { SearchResult } from '../../../../src/domain/search.ts'
import { memoryBackend } from '../../../../src/executor/backends/memory/memory.ts'
import { MemoryFile } from '../../../../src/storage/page-memory/memory-file.ts'
import { executorContract } from '../../../contract/executor.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-memory-'))
const file = new MemoryFile({ path: join(scratch, 'memory.sqlite'), maxBytes: 50e6 })
afterAll(() => {
  file.close()
  rmSync(scratch, { recursive: true })
})
const letters = Array.from({ length: 10 }, (_, index) => `subject${String.fromCharCode(97 + index)}`)
file.keep(
  [...letters, 'order', 'replay', 'fresh', 'lazy', 'early', 'late', 'closed', 'fail', 'hang'].map((word) => ({
    ...{ url: `https://example.org/${word}`, title: `On ${word}`, text: `All that is known of ${word}.` },
    ...{ extent: 'whole', owner: '' },
  })),
)

executorContract('memory', {
  failure: 'failed',
  factory(behaviour) {
    const recalls: Recall[] = []
    let running = 0
    const work = {
      // The subjects differ by what may be an ending, so each is found behind its own.
      succeed: async (recall: Recall) => file.recall({ ...recall, limit: 1 }),
      hang: () => new Promise<readonly SearchResult[]>(() => {}),
      fail: async () => {
        throw new Error('database disk image is malformed')
      },
    }[behaviour]
    const executor = memoryBackend({
      scope: 'all',
      memory: {
        recall(recall) {
          recalls.push(recall)
          if (behaviour === 'hang') running++
          return work(recall)
        },
      },
    })
    return {
      executor: {
        ...executor,
        // What a thread still looks for holds nothing: the search that waited for it has ended.
        async *search(request, context) {
          try {
            yield* executor.search(request, context)
          } finally {
            running = 0
          }
        },
      },
      running: () => running,
      started: () => recalls.length,
      async begun() {
        while (recalls.length === 0) await Bun.sleep(1)
      },
    }
  },
})

test('memory is asked for the pages of a caller, within what the request wishes of it', async () => {
  const recalls: Recall[] = []
  const recall = async (wanted: Recall) => {
    recalls.push(wanted)
    return []
  }
  const executor = memoryBackend({ scope: 'key', memory: { recall } })
  const context = { signal: new AbortController().signal, caller: 'phone' }
  for (const memory of [{ seenAfter: '2026-05-01' }, 'last'] as const)
    await Array.fromAsync(executor.search(requestFor('seals', { memory }), context))
  expect(recalls[0]).toMatchObject({ query: 'seals', owner: 'phone', seenAfter: '2026-05-01' })
  expect(recalls[1]).toMatchObject({ query: 'seals', owner: 'phone', memory: 'last' })
  expect(Object.keys(recalls[1] ?? {})).not.toContain('0')
})
