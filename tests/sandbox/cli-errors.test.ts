import { afterAll, describe, expect, test } from 'bun:test'
import { scenarios } from '@csp/sandbox/scenario'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { scratchHome } from '../support/real-claude.ts'
import fixture from './cli-errors.json'
import { connectToServe, observePrint, observeServe, startConversation } from './observe-cli.ts'

// The fixture says what the real CLI makes of each fault, so that errors can be distinguished by its real texts.
// A row that differs means that another version of the CLI speaks otherwise.
const variables = { CLAUDE_CODE_MAX_RETRIES: String(fixture.maxRetries) }
const running = startSandbox()
const home = await scratchHome()
const client = await connectToServe(running.url, home.path, variables)
/** One process for all but the rows that need one of their own. */
const conversation = startConversation(running.url, home.path, variables)

afterAll(async () => {
  await client.close()
  await conversation.end()
  await running.stop()
  await home[Symbol.asyncDispose]()
})

test('the recorded errors are of the installed version of the CLI', () => {
  expect(client.getServerVersion()?.version).toBe(fixture.cli)
})

describe('the recorded error of claude mcp serve', () => {
  test.each(Object.entries(fixture.serve))('is still the same for %s', async (name, expected) => {
    play(name)
    const observed = await observeServe(client, { query: 'Bun releases' })
    expect({ ...observed, calls: running.sandbox.stats().calls }).toEqual(expected)
  })
})

describe('the recorded error of claude -p', () => {
  // What these say depends on what the process has seen before, and one shows how a process ends after an error.
  const alone = new Set(['error-400', 'max-tokens', 'refusal', 'error-extra-usage'])
  const rows = Object.entries(fixture.print)

  test.each(rows.filter(([name]) => alone.has(name)))('is still the same for %s', async (name, expected) => {
    play(name)
    const { rateLimit: _, ...observed } = await observePrint(running.url, variables)
    expect({ ...observed, calls: running.sandbox.stats().calls }).toEqual(expected)
  })

  test.each(rows.filter(([name]) => !alone.has(name)))(
    'is still the same for %s in the middle of a conversation',
    async (name, { exitCode, ...expected }) => {
      play(name)
      const { rateLimit: _, ...observed } = await conversation.observe()
      expect({ ...observed, calls: running.sandbox.stats().calls }).toEqual(expected)
      expect(exitCode).toBe(expected.result.is_error ? 1 : 0)
    },
  )
})

describe('the recorded error of claude -p whose search alone fails', () => {
  test.each(Object.entries(fixture.printSearch))(
    'is still the same for %s',
    async (name, { exitCode, ...expected }) => {
      play(name, 'search')
      const { toolUseResult, result } = await conversation.observe()
      expect({ toolUseResult, isError: result['is_error'] }).toEqual(expected)
      expect(exitCode).toBe(0)
    },
  )

  test('leaves the exit code at 0', async () => {
    expect(await conversation.end()).toBe(0)
  })
})

function play(name: string, kind?: 'search'): void {
  const scenario = scenarios.find((known) => known === name)
  if (!scenario) throw new Error(`The fixture names an unknown scenario: ${name}`)
  running.sandbox.reset()
  running.sandbox.configure({ scenario: [{ scenario, kind }], resultCount: 2 })
}
