import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { workerModules } from '../support/worker-modules.ts'

// The contract suites of stores and executors, run inside real workerd by `support/contract-worker.ts`.

const support = join(import.meta.dir, 'support')
const standIn = {
  name: 'bun:test inside workerd',
  setup: (build: Bun.PluginBuilder) => {
    build.onResolve({ filter: /^bun:test$/ }, () => ({ path: join(support, 'test-stand-in.ts') }))
  },
}

const edge = new Miniflare({
  modules: await workerModules(join(support, 'contract-worker.ts'), { plugins: [standIn] }),
  compatibilityDate: '2026-07-30',
  // The tests themselves use node's assert and timers; what they test does not.
  compatibilityFlags: ['nodejs_compat'],
  host: '127.0.0.1',
  cf: false,
  kvNamespaces: ['CACHE'],
})
const url = await edge.ready
afterAll(() => edge.dispose())

// The trust boundary: the worker is a file of this folder, and lists names.
const names = (await (await fetch(url)).json()) as readonly string[]
const failing = 'this harness tells of a failure'

describe('in workerd', () => {
  test.each(names.filter((name) => name !== failing))('%s', async (name) => {
    const response = await fetch(url, { method: 'POST', body: name })
    expect(await response.text()).toBe('')
    expect(response.status).toBe(200)
  })

  test('a failing test is reported, and the contracts are present', async () => {
    const response = await fetch(url, { method: 'POST', body: failing })
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('should equal {"found":[1,3]}')
    expect(names.length).toBeGreaterThan(100)
  })
})
