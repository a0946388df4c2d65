import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-watch-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function watch(...args: readonly string[]) {
  const shell = testShell({ environment: { HOME: folder }, directory: folder })
  const code = await main(['watch', ...args], shell)
  return { code, output: shell.printed(), errors: shell.complaints() }
}

test.each([
  [['bees', '--every', '5s'], '--every must be hour, day, week, or a time of 10 minutes or more such as 6h.'],
  [['bees', '--every', 'noon'], '--every must be'],
  [['bees', 'dance'], 'Put quotes around the query: '],
  [['remove'], 'watch remove ID'],
  [['bees', '--freshness', 'soon'], '--freshness'],
])('%j is refused, and nothing is watched', async (args, words) => {
  const { code, errors } = await watch(...args)
  expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining(words) })
  expect((await watch()).output).toBe('Nothing is watched.\n')
})

test('a watch is made, listed and removed', async () => {
  expect(existsSync(join(folder, '.local/state/csp/watches'))).toBe(false)
  const made = await watch('bees\u001b[31m dance', '--every', '6h', '--include-domains', 'bees.example')
  const address = /http:\/\/127\.0\.0\.1:52480\/v1\/watches\/[0-9a-f]{32}\.atom/.exec(made.output)?.[0] ?? 'none'
  expect(made.output).toBe(`bees [31m dance\n  every 6h, not searched yet\n  ${address}\n`)
  expect(made.errors).toContain('No csp is running to make the searches')
  expect((await watch()).output).toBe(made.output)
  const [listed] = JSON.parse((await watch('--json')).output)
  expect(listed).toMatchObject({ object: 'watch', every_seconds: 21_600, last_at: null, feed: address })
  expect((await watch('remove', 'f'.repeat(32))).code).toBe(1)
  expect((await watch('remove', address)).output).toBe('Removed.\n')
  expect((await watch('--json')).output).toBe('[]\n')
})
