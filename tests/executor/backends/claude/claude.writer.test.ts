import { afterAll } from 'bun:test'
import { writerContract, writerScenarios } from '../../../contract/writer.ts'
import { startClaude } from '../../../support/claude-executor.ts'

// One for all tests: a CLI takes half a second of a core to start.
const claude = await startClaude()
afterAll(() => claude[Symbol.asyncDispose]())

writerContract('Claude', {
  failure: 'rate-limited',
  breakage: 'unavailable',
  model: 'sonnet',
  timeoutMs: 30_000,
  create(behaviour) {
    const { engine, sandbox } = claude
    sandbox.reset()
    sandbox.configure({ scenario: writerScenarios[behaviour] })
    return {
      writer: engine,
      running: () => sandbox.stats().open,
      begun: () => sandbox.until(({ calls }) => calls > 0),
      held: async () => heldIn((await engine.health()).backends[0]?.engines?.['agent']),
      dispose: async () => {},
    }
  },
})

/** Of `3 workers, 1 idle`, those that somebody has. */
function heldIn(state = ''): number {
  const [, all = '0', idle = '0'] = /^(\d+) workers?, (\d+) idle$/.exec(state) ?? []
  return Number(all) - Number(idle)
}
