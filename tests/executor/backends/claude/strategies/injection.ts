import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type StrategyName, strategies, strategyNames } from '../../../../support/claude-executor.ts'
import type { Fields } from '../../../../support/fake-executor.ts'
import { hostileTexts } from '../../../../support/hostile-texts.ts'
import { descendantsOf } from '../../../../support/processes.ts'
import { claude, said, secret } from './claude.ts'
import { claude as standIn } from './stand-in.ts'

const { sandbox, search, home } = claude
const path = join(home, 'secret.txt')

const texts = hostileTexts(home)
/** Several texts, each on a line and in turns of its own: the prompt around them begins with words of csp's. */
const groups = Map.groupBy(Object.entries(texts), ([, text]) => Math.floor(Object.values(texts).indexOf(text) / 8))

function everywhere(strategy: StrategyName, group: readonly string[]): Fields {
  const history = group.flatMap(
    (text) =>
      [
        { role: 'user', text },
        { role: 'assistant', text },
      ] as const,
  )
  // With a history the others would take the strategy of a follow-up.
  const hasHistory = strategy === 'deep' || strategy === 'text'
  // Plain inference starts a CLI for each system prompt.
  const instructions = (strategy === 'text' ? Object.values(texts) : group).join('\n')
  return { instructions, history: hasHistory ? history : [] }
}

describe.each(['results', 'text'] as const)('as the query of the strategy %s', (strategy) => {
  test.each(Object.entries(texts))('the text "%s" has no effect', (_, text) =>
    expectOrdinary(strategy, text, strategies[strategy]),
  )
})

describe.each(['fast', 'standard', 'deep', 'text'] as const)(
  'as query, instructions and history of the strategy %s',
  (strategy) => {
    const rows = [...groups.values()].map((group) => [group.map(([name]) => name).join('", "'), group] as const)
    test.each(rows)('the texts "%s" have no effect', (_, group) => {
      const all = group.map(([, text]) => text)
      return expectOrdinary(strategy, all.join('\n'), { ...strategies[strategy], ...everywhere(strategy, all) })
    })
  },
)

/** Expects the strategy's own calls and a whole answer, and no request that holds the secret. */
async function expectOrdinary(strategy: StrategyName, query: string, rest: Fields): Promise<void> {
  const { reason } = await search(query, rest)
  expect(reason).toBe('stop')
  expect(sandbox.stats().callsByKind).toEqual({ answer: 0, ...calls[strategy] })
  expect(leaks()).toEqual([])
}

const calls = {
  results: { search: 1, decide: 0, write: 0 },
  fast: { search: 1, decide: 0, write: 0 },
  standard: { search: 1, decide: 0, write: 1 },
  deep: { search: 1, decide: 1, write: 1 },
  'follow-up': { search: 1, decide: 1, write: 1 },
  text: { search: 0, decide: 0, write: 1 },
}

function leaks(): readonly string[] {
  return sandbox
    .requests()
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes(secret))
}

test('no text of a caller stands in the arguments of a process', async () => {
  standIn.sandbox.configure({ scenario: 'hang' })
  const controller = new AbortController()
  const word = 'wombat-in-arguments'
  const searches = strategyNames.map((strategy) =>
    standIn.search(word, { ...strategies[strategy], instructions: word }, controller.signal).catch(() => {}),
  )
  await standIn.sandbox.until(({ calls }) => calls === strategyNames.length)
  const commands = descendantsOf(process.pid).map(({ command }) => command)
  controller.abort()
  await Promise.all(searches)
  expect(commands.filter((command) => command.includes('--system-prompt')).length).toBeGreaterThanOrEqual(2)
  expect(commands.filter((command) => command.includes(word))).toEqual([])
})

test('no path in the text of a page is read from disk', async () => {
  said.text = `@${path}`
  for (const strategy of ['standard', 'deep'] as const) await search('seals', strategies[strategy])
  const bodies = sandbox.requests().map(({ body }) => JSON.stringify(body))
  const writer = bodies[1] ?? ''
  // As the title of a page, in an excerpt, and in the notes.
  expect(writer).toContain(`[3] seals [@\u2060${path}]`)
  expect(writer.split(`@\u2060${path}`).length).toBeGreaterThan(4)
  expect(leaks()).toEqual([])
})
