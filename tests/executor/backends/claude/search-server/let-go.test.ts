import { expect, test } from 'bun:test'
import { startSandbox } from '../../../../../packages/sandbox/test/support/sandbox.ts'
import { childEnvironment, directArguments } from '../../../../../src/executor/backends/claude/cli/launch.ts'
import { DirectEngine } from '../../../../../src/executor/backends/claude/search-server/direct.ts'
import { standInClaude } from '../../../../support/quick-claude.ts'
import { claudeEnvironment, scratchHome } from '../../../../support/real-claude.ts'

/** An engine on the sandbox. */
async function open(more: Partial<ConstructorParameters<typeof DirectEngine>[0]>) {
  const sandbox = startSandbox()
  const home = await scratchHome()
  const environment = childEnvironment({
    environment: claudeEnvironment(sandbox.url, home.path),
    ...{ auth: 'subscription', model: 'haiku', effort: 'low' },
  })
  const engine = new DirectEngine({
    process: () => ({ command: [standInClaude(), ...directArguments], environment, directory: home.path }),
    ...{ version: '0', idleMs: 60_000, maxSearches: 1000, now: () => new Date() },
    ...more,
  })
  return {
    engine,
    async [Symbol.asyncDispose]() {
      await engine.close()
      await home[Symbol.asyncDispose]()
      await sandbox[Symbol.asyncDispose]()
    },
  }
}

const { signal } = new AbortController()

test('a process is let go when it has served as many searches as it may', async () => {
  const lines: string[] = []
  await using opened = await open({ maxSearches: 2, log: (line) => lines.push(line) })
  await opened.engine.search({ query: 'seals' }, signal)
  expect(opened.engine.state).toBe('ready, 0 running, 1 served')
  await opened.engine.search({ query: 'bees' }, signal)
  expect(opened.engine.state).toBe('stopped')
  expect(lines[1]).toContain('2 searches')
})

test('a search whose process is let go while it starts waits for the next one', async () => {
  let starts = 0
  await using opened = await open({
    // As other searches do that learn of a lost login.
    log: (line) => {
      if (line.endsWith('has started') && ++starts <= 3) opened.engine.recycle()
    },
  })
  const { searched } = await opened.engine.search({ query: 'seals' }, signal)
  expect({ searched, starts }).toEqual({ searched: true, starts: 4 })
})
