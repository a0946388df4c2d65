import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../../../packages/sandbox/test/support/sandbox.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { descendantsOf } from '../../../support/processes.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { testShell } from '../../test-shell.ts'

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const question = 'How well do heat pumps work in the cold?'

function shellOn(url: string, isTerminal = false, more: Readonly<Record<string, string>> = {}) {
  const environment = { ...claudeEnvironment(url, home.path), CSP_CLAUDE_BIN: standInClaude(), ...more }
  return testShell({ environment, directory: home.path, isTerminal })
}

test('csp research prints Markdown with its sources, and the steps on the terminal', async () => {
  await using sandbox = startSandbox()
  const piped = shellOn(sandbox.url)
  expect(await main(['research', question, '--effort', 'low', '--excerpts', 'lines'], piped)).toBe(0)
  expect(piped.complaints()).toBe('')
  expect(piped.printed()).toMatch(/^Sandbox answer: .*\n\n## Part 1\n.*\[1\].*\n\n## Sources\n\n1\. \[.*\]\(https:/s)
  expect(piped.printed()).not.toContain('\x1b')
  // The report is known now.
  const shown = shellOn(sandbox.url, true)
  expect(await main(['research', question, '--effort', 'low', '--excerpts', 'lines', '--fresh'], shown)).toBe(0)
  expect(shown.complaints()).toContain(`search  Costs: ${question}`)
  expect(shown.complaints()).toMatch(/read {4}Sandbox: Overview .*\shttps:/)
  // Broken between words alone.
  const lines = shown.printed().split('\n')
  expect(lines.filter((line) => line.length > 80 && line.trim().includes(' ') && !line.includes('https:'))).toEqual([])
})

test('csp research writes JSON and HTML, also to a file', async () => {
  await using sandbox = startSandbox()
  const shell = shellOn(sandbox.url)
  expect(await main(['research', question, '--effort', 'low', '--json'], shell)).toBe(0)
  const report = JSON.parse(shell.printed())
  expect(report).toMatchObject({ query: question, answer: expect.stringContaining('## Part 1') })
  expect(report.sources.length).toBeGreaterThan(5)
  const filed = shellOn(sandbox.url)
  expect(await main(['research', question, '--effort', 'low', '--html', '-o', 'report.html'], filed)).toBe(0)
  expect(filed.printed()).toBe('')
  const html = readFileSync(join(home.path, 'report.html'), 'utf8')
  expect(html).toStartWith('<!doctype html>')
  expect(html).toContain(question)
  expect(html).not.toContain('<script')
  const nowhere = shellOn(sandbox.url)
  expect(await main(['research', question, '--effort', 'low', '-o', 'none/report.md'], nowhere)).toBe(1)
  expect(nowhere.complaints()).toContain('The report could not be written to ')
})

test.each([
  [['research'], 'Usage: csp research QUESTION'],
  [['research', question, '--effort', 'huge'], '--effort must be one of: low, medium, high'],
  [['research', question, '--html', '--json'], '--html and --json cannot be combined.'],
])('csp %j is refused before a search', async (args, complaint) => {
  const shell = shellOn('http://127.0.0.1:9')
  expect(await main(args, shell)).toBe(2)
  expect(shell.complaints()).toContain(complaint)
})

test('Ctrl-C in the middle ends it with 130, and leaves neither process nor file', async () => {
  await using sandbox = startSandbox({ thinkMs: { search: 60_000 } })
  const scratch = join(home.path, 'scratch')
  mkdirSync(scratch)
  const before = new Set(descendantsOf(process.pid).map(({ pid }) => pid))
  const shell = shellOn(sandbox.url, true, { TMPDIR: scratch })
  const ended = main(['research', question, '--cache-ttl', '0'], shell)
  await shell.says('search  Costs')
  await sandbox.sandbox.until(({ open }) => open >= 3)
  shell.send('SIGINT')
  expect(await ended).toBe(130)
  // It hears a moment later that a connection has gone.
  await sandbox.sandbox.until(({ open }) => open === 0)
  const left = descendantsOf(process.pid).filter(({ pid, command }) => !before.has(pid) && command.includes('claude'))
  expect(left).toEqual([])
  expect(readdirSync(scratch).filter((name) => name.startsWith('csp-'))).toEqual([])
})
