import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHomeApp } from '../../../../src/app.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { writeAnswerSettings } from '../../../../src/runtime/background/answer-settings.ts'
import { announceServer, createLocalToken } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { done, fails, fakeExecutor, plays, type Script } from '../../../support/fake-executor.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-research-remote-'))
afterAll(() => rmSync(home, { recursive: true }))

const url = 'https://a.example/'
const steps: readonly SearchEvent[] = [
  { type: 'research', step: { kind: 'outline', questions: ['How cold?', 'How\nwarm?'] } },
  { type: 'search-start', id: 'one', query: 'heat' },
  { type: 'search-results', id: 'one', results: [{ title: 'Heat', url, source: 'fake' }] },
  { type: 'research', step: { kind: 'page', title: 'Heat', url } },
  { type: 'research', step: { kind: 'note', text: 'Enough is known.' } },
  { type: 'text-delta', text: ' It is cold [1].\n' },
  done,
]

/** csp research by a csp that runs, and answers with this script. */
async function research(
  args: readonly string[],
  script: Script = plays(steps),
  options: Partial<TestShellOptions> = {},
) {
  const far = fakeExecutor(script)
  const app = createHomeApp({ executor: far, version: '1.2.3' })
  const alive = () => new Response('', { headers: { 'x-csp': '1' } })
  const fetch = (request: Request) => (request.url.endsWith('/health/live') ? alive() : app.fetch(request))
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch })
  const environment = { HOME: home, PATH: '', NO_COLOR: '1' }
  const { config } = loadConfig({}, environment, home)
  const token = createLocalToken()
  const { end } = await announceServer(config.stateDir, {
    ...{ url: `http://127.0.0.1:${server.port}`, port: server.port ?? 0, version: '1.2.3', token },
    ...{ settings: writeAnswerSettings({ config, environment, token }), flags: [], manager: 'terminal' },
  })
  const shell = testShell({ directory: home, environment, ...options })
  const code = await main(['research', ...args], shell)
  await end()
  await server.stop(true)
  return { code, printed: shell.printed(), complaints: shell.complaints(), requests: far.requests }
}

test('csp research asks with its effort, its model and its filters', async () => {
  const flags = ['--effort', 'high', '--model', 'opus', '--country', 'DE']
  const { requests } = await research(['how', 'cold?', ...flags])
  expect(requests[0]).toMatchObject({ query: 'how cold?', research: 'high', model: 'opus', filters: { country: 'DE' } })
  expect((await research(['cold?'])).requests[0]).toMatchObject({ research: 'medium', want: 'answer' })
})

test('csp research prints the report as it comes, then its sources; the steps are for a terminal', async () => {
  const { code, printed, complaints } = await research(['cold?'])
  expect([code, complaints]).toEqual([0, ''])
  expect(printed).toMatch(/^\s*It is cold \[1\]\.\s+## Sources\n\n1\. \[Heat\]\(https:\/\/a\.example\/\)\n/)
  const shown = await research(['cold?'], plays(steps), { isTerminal: true })
  for (const line of ['search  How cold?\nsearch  How warm?\n', `read    Heat  ${url}\n`, 'Enough is known.\n'])
    expect(shown.complaints).toContain(line)
  expect(shown.printed).toContain('It is cold [1].')
  expect((await research(['cold?', '-q'], plays(steps), { isTerminal: true })).complaints).toBe('')
})

test('csp research writes a file in the form that is asked for, and nothing else', async () => {
  const write = async (...flags: readonly string[]) => {
    const { code, printed } = await research(['cold?', '-o', 'report', ...flags])
    expect([code, printed]).toEqual([0, ''])
    return readFileSync(join(home, 'report'), 'utf8')
  }
  expect(await write()).toMatch(/^It is cold \[1\]\.\n\n## Sources\n\n1\. /)
  expect(JSON.parse(await write('--json'))).toMatchObject({ query: 'cold?' })
  expect(await write('--html')).toStartWith('<!doctype html>')
  expect((await research(['cold?', '--html'])).printed).toStartWith('<!doctype html>')
  expect(await research(['cold?', '-o', 'none/report'])).toMatchObject({
    ...{ code: 1, complaints: expect.stringContaining(`could not be written to ${join(home, 'none/report')}`) },
  })
})

test('csp research that fails writes no file', async () => {
  const failed = await research(['cold?', '-o', 'failed'], fails('rate-limited'))
  expect([failed.code, failed.printed]).toEqual([4, ''])
  expect(() => readFileSync(join(home, 'failed'))).toThrow('ENOENT')
  expect((await research(['cold?', '--html', '--json'])).complaints).toBe('--html and --json cannot be combined.\n')
})
