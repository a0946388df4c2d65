import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHomeApp } from '../../../../src/app.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { answers, fails, fakeExecutor, hangs, type Script } from '../../../support/fake-executor.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-eval-remote-'))
const servers: { stop(isNow: true): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})
afterAll(() => rmSync(home, { recursive: true }))
const questions = ['seals', 'bees', 'moss'].map((question) =>
  JSON.stringify({ question, answer: `This is ${question}` }),
)
writeFileSync(join(home, 'own.jsonl'), questions.join('\n'))

interface Trial extends Partial<TestShellOptions> {
  readonly script?: Script
  readonly columns?: number
}

/** csp eval of another csp that answers with this script. */
function start(line: string, { script = answers, columns = 80, environment, ...more }: Trial = {}) {
  const far = fakeExecutor(script)
  const app = createHomeApp({ executor: far, version: '1.2.3' })
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: (request) => app.fetch(request) })
  servers.push(server)
  const usual = { HOME: home, PATH: '', CSP_BACKENDS: 'remote', CSP_REMOTE_URL: `http://127.0.0.1:${server.port}` }
  const shell = testShell({ directory: home, ...more, environment: { ...usual, CSP_PAGES: 'off', ...environment } })
  const errors = { ...shell.errors, columns }
  const ended = main(['eval', ...line.split(' ')], { ...shell, errors }).then((code) => ({
    ...{ code, printed: shell.printed(), complaints: shell.complaints(), far },
  }))
  return { ended, shell, far }
}
const csp = (line: string, trial?: Trial) => start(line, trial).ended

describe('csp eval', () => {
  test('says what it would cost, and begins only with a yes', async () => {
    const estimate = '3 questions, each asked of remote results, remote standard: about 6 searches. The budget of csp'
    const no = await csp('--set own.jsonl', { reply: 'n' })
    expect([no.code, no.complaints, no.far.calls.length]).toEqual([130, expect.stringContaining(estimate), 0])
    expect((await csp('--set own.jsonl', { reply: '' })).code).toBe(130)
    expect(await csp('--set own.jsonl')).toMatchObject({
      code: 2,
      complaints: expect.stringContaining('add --yes to start.'),
    })
    const yes = await csp('--set own.jsonl -n 1 --json', { reply: 'y' })
    expect([yes.code, yes.far.calls.length]).toEqual([0, 3])
    expect(yes.complaints).toContain('1 questions, each asked of')
  })

  test('says how far it comes, and what is known already', async () => {
    const few = await csp('--set own.jsonl --max-searches 3 --yes --json')
    expect(few.complaints).toContain(
      'about 6 searches. It stops after 3, which is enough for about 1 questions. The budget',
    )
    expect(JSON.parse(few.printed.slice(few.printed.indexOf('{'))).end).toBe('max-searches')
    expect((await csp('--set own.jsonl --max-searches 6 --yes')).complaints).not.toContain('It stops after')
    const line = '--set own.jsonl --strategies results --out trials.ndjson --yes --json'
    expect((await csp(line)).complaints).not.toContain('in the file already')
    const again = await csp(line)
    expect(again.complaints).toContain(' 3 of the 3 trials are in the file already.')
    expect([again.far.calls.length, JSON.parse(again.printed).trials.length]).toEqual([0, 3])
    expect(readFileSync(join(home, 'trials.ndjson'), 'utf8').split('\n')).toHaveLength(5)
    expect((await csp(`${line} --judge claude`, { environment: { CSP_CLAUDE_BIN: '/gone' } })).complaints).toContain(
      'belongs to another evaluation',
    )
  })

  test('shows how far it is on a terminal, in one line that fits', async () => {
    const { complaints, printed } = await csp('--set own.jsonl --strategies fast --yes', { isTerminal: true })
    expect([...complaints.matchAll(/\r\x1b\[2K([^\r]*)/g)].map(([, text]) => text)).toEqual([
      ...['0 of 3 asked', '1 of 3 asked', '2 of 3 asked', '3 of 3 asked', ''],
    ])
    expect(printed).toContain('remote')
    const narrow = await csp('--set own.jsonl --strategies fast --yes', { isTerminal: true, columns: 9 })
    expect(narrow.complaints).toContain('\r\x1b[2K0 of 3 a\r')
    expect((await csp('--set own.jsonl --strategies fast --yes')).complaints).not.toContain('asked\r')
  })

  test('asks other backends what they can do', async () => {
    const environment = { BRAVE_API_KEY: 'k' }
    const { complaints } = await csp('--set own.jsonl --against brave,remote --strategies fast,results', {
      environment,
      reply: 'n',
    })
    expect(complaints).toContain('each asked of remote fast, remote results, brave results: ')
    expect((await csp('--set own.jsonl --against exa')).complaints).toBe(
      'The backend exa needs a key: set EXA_API_KEY.\n',
    )
    const searcher = { CSP_BACKENDS: 'brave', BRAVE_API_KEY: 'k' }
    expect((await csp('--set own.jsonl --strategies fast', { environment: searcher })).complaints).toBe(
      'brave has no model, so its only strategy is results: --strategies results\n',
    )
    expect((await csp('--set own.jsonl', { environment: searcher, reply: 'n' })).complaints).toContain(
      'each asked of brave results: ',
    )
  })

  test.each([
    ['--strategies fast,slow', '--strategies takes results, fast, standard, deep, not "slow".\n'],
    ['--strategies fsat', '--strategies takes results, fast, standard, deep, not "fsat". Did you mean fast?\n'],
    ['--judge gpt', '--judge must be one of: claude, none, not "gpt"'],
    ['--against goggle', '--against takes claude, searxng, '],
    ['--set none', '--set must be facts, fresh or a file of questions'],
    ['-n 0', '--count must be a whole number of 1 or more'],
    ['--sample 0', '--sample must be'],
  ])('refuses %s', async (line, complaint) => {
    const { code, complaints } = await csp(line)
    expect([code, complaints]).toEqual([2, expect.stringContaining(complaint)])
  })

  test('takes each strategy once, with spaces around it', async () => {
    const shell = testShell({
      directory: home,
      environment: { HOME: home, CSP_BACKENDS: 'remote', CSP_REMOTE_URL: 'http://127.0.0.1:9' },
      reply: 'n',
    })
    await main(['eval', '--set', 'own.jsonl', '--strategies', ' fast, fast,deep'], shell)
    expect(shell.complaints()).toContain('each asked of remote fast, remote deep: ')
  })
})

describe('csp eval that is cut short', () => {
  test('by a limit ends with 4, and shows what was measured', async () => {
    let calls = 0
    const script: Script = (request, signal) =>
      ++calls > 2 ? fails('rate-limited')(request, signal) : answers(request)
    const { code, printed } = await csp('--set own.jsonl --strategies fast --yes --json', { script })
    expect([code, JSON.parse(printed).end, JSON.parse(printed).trials.length]).toEqual([4, 'limit', 2])
  })

  test('by a login ends with the failure, alone where nothing was measured', async () => {
    const first = await csp('--set own.jsonl --strategies fast --yes', { script: fails('signed-out') })
    expect([first.code, first.printed]).toEqual([1, ''])
    expect(first.complaints).toContain('\nThe fake fails.\n')
    let calls = 0
    const script: Script = (request, signal) => (++calls > 1 ? fails('signed-out')(request, signal) : answers(request))
    const { code, printed, complaints } = await csp('--set own.jsonl --strategies fast --yes --json', { script })
    expect([code, JSON.parse(printed).end, complaints]).toEqual([
      0,
      'failed',
      expect.stringContaining('The fake fails.\n'),
    ])
  })

  test('by Ctrl-C ends with 130', async () => {
    const { ended, shell, far } = start('--set own.jsonl --strategies fast --yes --json', { script: hangs })
    await far.begun()
    shell.send('SIGINT')
    const { code, printed } = await ended
    expect([code, JSON.parse(printed).end]).toEqual([130, 'interrupted'])
  })

  test('by a missing CLI ends with 3', async () => {
    const environment = { CSP_BACKENDS: 'claude', CSP_CLAUDE_BIN: '/gone/claude' }
    const { code, complaints } = await csp('--set own.jsonl --yes', { environment })
    expect([code, complaints]).toEqual([3, expect.stringContaining('/gone/claude is not a program')])
  })
})
