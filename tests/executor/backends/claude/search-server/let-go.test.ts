import { expect, setDefaultTimeout, test } from 'bun:test'
import { childEnvironment, directArguments } from '../../../../../src/executor/backends/claude/cli/launch.ts'
import { DirectEngine } from '../../../../../src/executor/backends/claude/search-server/direct.ts'
import { standInClaude } from '../../../../support/quick-claude.ts'
import { claudeEnvironment, scratchHome } from '../../../../support/real-claude.ts'
import { startSandbox } from '../../../../support/sandbox.ts'

setDefaultTimeout(30_000)

test('a search whose process is let go while it starts waits for the next one', async () => {
  await using sandbox = startSandbox()
  await using home = await scratchHome()
  const environment = childEnvironment({
    environment: claudeEnvironment(sandbox.url, home.path),
    ...{ auth: 'subscription', model: 'haiku', effort: 'low' },
  })
  let starts = 0
  const engine = new DirectEngine({
    process: () => ({ command: [standInClaude(), ...directArguments], environment, directory: home.path }),
    ...{ version: '0', idleMs: 60_000, maxSearches: 1000, now: () => new Date() },
    // As other searches do that learn of a lost login.
    log: (line) => {
      if (line.endsWith('has started') && ++starts <= 3) engine.recycle()
    },
  })
  try {
    const { searched } = await engine.search({ query: 'seals' }, new AbortController().signal)
    expect({ searched, starts }).toEqual({ searched: true, starts: 4 })
  } finally {
    await engine.close()
  }
})
