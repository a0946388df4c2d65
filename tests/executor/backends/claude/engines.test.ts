import { describe, expect, test } from 'bun:test'
import { claudeModels } from '../../../../src/domain/claude-models.ts'
import { Engines } from '../../../../src/executor/backends/claude/engines.ts'
import { startClaude } from '../../../support/claude-executor.ts'
import { oddClaude } from '../../../support/odd-claude.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { scratchHome } from '../../../support/real-claude.ts'

test('a usage limit is logged when its state changes, not each time the CLI mentions it', () => {
  const warnings: string[] = []
  const engines = new Engines({
    findBinary: () => undefined,
    environment: {},
    workingDirectory: '/nowhere',
    model: 'sonnet',
    excerpts: 'lines',
    maxSessionSearches: 1,
    sessionContext: 'clear',
    auth: 'subscription',
    version: '1.2.3',
    log: (level, message) => void (level === 'warning' && warnings.push(message)),
  })
  for (const status of ['allowed', 'allowed_warning', 'allowed_warning', 'rejected', 'rejected', 'allowed']) {
    engines.noteLimit({ status, window: 'five_hour' })
  }
  expect(warnings).toEqual([
    'The usage limit of this subscription: five_hour allowed_warning.',
    'The usage limit of this subscription: five_hour rejected.',
  ])
})

describe('a search server that is not to start ahead', () => {
  test('is left out where only health is asked for, and starts with the first searches', async () => {
    await using claude = await startClaude({ startsAhead: false })
    const directEngine = async () => (await claude.executor.health()).backends[0]?.engines?.['direct']
    expect(await directEngine()).toBe('stopped')
    const answers = await Promise.all(['bees', 'wasps'].map((query) => claude.search(query, { want: 'results' })))
    expect(answers.map(({ searches }) => searches[0]?.results.length)).toEqual([8, 8])
    expect(await directEngine()).toBe('ready, 0 running, 2 served')
  })

  test('is found out not to work by the first search, which an agent serves then', async () => {
    await using folder = await scratchHome()
    const binary = oddClaude(folder.path, '[ "$2" = mcp ] && exit 1\nexec "$claude" "$@"')
    await using claude = await startClaude({ startsAhead: false, findBinary: () => binary })
    expect(await claude.executor.health()).toMatchObject({ ready: true })
    expect((await claude.search('bees', { want: 'results' })).searches[0]?.results).toHaveLength(8)
    expect(claude.sandbox.stats().callsByKind.decide).toBe(1)
  })
})

describe('the models that the CLI offers', () => {
  test('are what it says when it is warmed, which costs no model call', async () => {
    await using claude = await startClaude({ findBinary: quickClaude })
    expect(claude.executor.offered()).toEqual([])
    await claude.executor.warm()
    const offered = Object.fromEntries(claude.executor.offered().map(({ name, fullName }) => [name, fullName]))
    // Its names are the families that csp knows without it; a new one is known from then on.
    expect(offered).toMatchObject(mapped(claudeModels, ({ fullName }) => fullName))
    expect(offered).not.toHaveProperty('default')
    expect(claude.sandbox.stats().calls).toBe(0)
  })

  test('are unknown of a CLI that does not know the request, and everything else works', async () => {
    await using folder = await scratchHome()
    const hides = `case "$*" in *print*) sed -u s/list_models/no_such_request/ | "$claude" "$@" ;; *) exec "$claude" "$@" ;; esac`
    const binary = oddClaude(folder.path, hides)
    await using claude = await startClaude({ findBinary: () => binary })
    await claude.executor.warm()
    expect(claude.executor.offered()).toEqual([])
    expect((await claude.search('bees', { want: 'text' })).text).toContain('bees')
  })
})

function mapped<From, To>(entries: Readonly<Record<string, From>>, of: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, of(value)]))
}
