import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { main } from '../../../../src/runtime/cli/main.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

setDefaultTimeout(60_000)
let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
  const questions = ['harbour seals', 'city bees'].map((question) => ({ question, answer: 'invented' }))
  writeFileSync(join(home.path, 'own.jsonl'), questions.map((one) => JSON.stringify(one)).join('\n'))
  const claims = [
    ['The bridge was opened in 1932.', 'supported'],
    ['The bridge was opened in 1950.', 'not_supported'],
  ].map(([claim, label]) => ({ claim, label, evidence: ['The old bridge was opened in 1932 by the mayor.'] }))
  writeFileSync(join(home.path, 'claims.jsonl'), claims.map((one) => JSON.stringify(one)).join('\n'))
  writeFileSync(join(home.path, 'bad-claims.jsonl'), '{"claim": "A", "label": "so", "evidence": ""}')
  writeFileSync(join(home.path, 'bad.jsonl'), '{"question": "Q?", "answer": "A"}\n{"question": 7}\n')
})
afterAll(() => home[Symbol.asyncDispose]())

function shellWith(options: Partial<TestShellOptions> = {}, more: Readonly<Record<string, string>> = {}) {
  const own = { ...claudeEnvironment('http://127.0.0.1:9', home.path), CSP_CLAUDE_BIN: standInClaude() }
  const environment = { ...own, ...more }
  return testShell({ directory: home.path, ...options, environment })
}

async function csp(
  args: readonly string[],
  options: Partial<TestShellOptions> = {},
  more: Readonly<Record<string, string>> = {},
) {
  const shell = shellWith(options, more)
  const code = await main(['eval', ...args], shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

describe('csp eval on the sandbox', () => {
  test('asks each question with each strategy, and prints JSON with every trial', async () => {
    const { code, printed, complaints } = await csp([
      '--sandbox',
      '--set',
      'own.jsonl',
      '--strategies',
      'fast,standard',
      '--json',
    ])
    expect(code).toBe(0)
    expect(complaints).toStartWith('2 questions, each asked of claude fast, claude standard: about 4 searches.')
    const report = JSON.parse(printed)
    expect(report).toMatchObject({ set: 'own.jsonl', judge: 'none', end: 'complete', questions: 2, searches: 4 })
    expect(report.trials).toHaveLength(4)
    expect(report.summaries).toMatchObject([
      { backend: 'claude', strategy: 'fast', right: { hits: 2, of: 2 }, grounded: { hits: 2, of: 2 } },
      { backend: 'claude', strategy: 'standard', right: { hits: 2, of: 2 }, grounded: { hits: 2, of: 2 } },
    ])
  })

  test('goes on where a run before has ended, and counts what that one measured', async () => {
    const table =
      'problem,answer,urls\nharbour seals,invented,https://a.example/\ncity bees,invented,\nroof moss,invented,\n'
    writeFileSync(join(home.path, 'set.csv'), table)
    const args = ['--sandbox', '--set', 'set.csv', '--strategies', 'results,fast', '--out', 'trials', '--json']
    const first = JSON.parse((await csp([...args, '--max-searches', '3'])).printed)
    expect(first).toMatchObject({ end: 'max-searches', searches: 3 })
    // As a csp leaves it that was killed while it wrote.
    appendFileSync(join(home.path, 'trials'), '{"question": "3", "backe')
    const { printed, complaints } = await csp(args)
    const second = JSON.parse(printed)
    expect(complaints).toContain('3 of the 6 trials are in the file already.')
    expect(second).toMatchObject({ end: 'complete', questions: 3, searches: 6 })
    expect(second.trials.slice(0, 3).map(({ ms }: { ms: number }) => ms)).toEqual(
      first.trials.map(({ ms }: { ms: number }) => ms),
    )
    const lists = { strategy: 'results', hits: Array(3).fill(expect.objectContaining({ hits: 0, of: 1 })) }
    const answers = { strategy: 'fast', attempted: { hits: 3, of: 3 }, fScore: 1 }
    expect(second.summaries).toMatchObject([lists, answers])
    expect(JSON.parse((await csp(args)).printed)).toMatchObject({ searches: 6 })

    const other = await csp(['--sandbox', '--out', 'trials'])
    expect(other).toMatchObject({ code: 2, complaints: expect.stringContaining('belongs to another evaluation') })
  })

  test('prints what was measured after Ctrl-C', async () => {
    const shell = shellWith({ isTerminal: true })
    const running = main(['eval', '--sandbox', '--strategies', 'results', '--max-searches', '500'], shell)
    await shell.says('2 of 50 asked')
    shell.send('SIGINT')
    expect(await running).toBe(130)
    expect(shell.printed()).toMatch(/^[2-9] questions, .* Stopped before the end\.\n\n\| Strategy/)
  })
})

describe('csp eval refuses', () => {
  test.each([
    [
      ['--strategies', 'result'],
      '--strategies takes results, fast, standard, deep, not "result". Did you mean results?',
    ],
    [['--against', 'bing'], '--against takes claude, searxng'],
    [['--judge', 'gpt'], '--judge must be one of: claude, none'],
    [['--set', 'nowhere.jsonl'], '--set must be facts, fresh or a file of questions; "nowhere.jsonl" cannot be read.'],
    [['--set', 'bad.jsonl'], 'bad.jsonl: Line 2: question: '],
    [['-n', '0'], '--count must be a whole number of 1 or more'],
    [['--against', 'brave'], 'The backend brave needs a key'],
    [['--backends', 'searxng', '--searxng-url', 'http://127.0.0.1:9', '--strategies', 'deep'], 'searxng has no model'],
  ])('%p', async (args, message) => {
    const { code, complaints } = await csp([...args, '--yes'])
    expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining(message) })
  })

  test('to begin where nobody can be asked, and names --yes', async () => {
    const { code, complaints } = await csp(['-n', '3'])
    expect(code).toBe(2)
    expect(complaints).toContain('3 questions, each asked of claude results, claude standard: about 6 searches.')
    expect(complaints).toContain('add --yes')
  })

  test('to spend anything after a no', async () => {
    const { code, printed } = await csp(['-n', '3'], { reply: 'n' })
    expect({ code, printed }).toEqual({ code: 130, printed: 'Begin? [y/N] ' })
  })
})

test('an evaluation that searches too much says how far it will come', async () => {
  const { complaints } = await csp(['--judge', 'claude'], { reply: '' })
  expect(complaints).toContain('about 100 searches.')
  expect(complaints).toContain('The judge makes a model call for each of 50 answers.')
  const { complaints: more } = await csp(['--strategies', 'deep'], { reply: '' })
  expect(more).toContain('about 150 searches. It stops after 100, which is enough for about 33 questions.')
})

test('an evaluation ends at the first search where the CLI cannot be used', async () => {
  const args = ['--set', 'own.jsonl', '--yes']
  const { code, printed, complaints } = await csp(args, {}, { CSP_CLAUDE_BIN: '/none/claude' })
  expect({ code, printed }).toEqual({ code: 3, printed: '' })
  expect(complaints).toContain('/none/claude')
})

describe('a set of claims', () => {
  const rows = (printed: string) => printed.split('\n').filter((line) => /^\| (?:not )?supported/.test(line))

  test('is compared with its pages, without a CLI and without asking', async () => {
    const { code, printed, complaints } = await csp(['--set', 'claims.jsonl'], {}, { CSP_CLAUDE_BIN: '/none' })
    expect([code, complaints]).toEqual([0, ''])
    expect(printed).toStartWith('2 claims, 0 model calls, 0 judged.')
    expect(rows(printed)).toEqual(['| supported | 1 | 1 | 0 | 0 | 0 |', '| not supported | 1 | 0 | 1 | 0 | 0 |'])
  })

  test('is judged on request, in one call', async () => {
    const { code, printed, complaints } = await csp(['--sandbox', '--set', 'claims.jsonl', '--judge', 'claude'])
    expect([code, complaints.trim()]).toEqual([
      ...[0, '2 claims, compared with their pages: no search, 1 model call of the judge at most.'],
    ])
    expect(printed).toStartWith('2 claims, 1 model call, 2 judged.')
    expect(rows(printed)).toEqual(['| supported | 1 | 1 | 0 | 0 | 0 |', '| not supported | 1 | 0 | 0 | 1 | 0 |'])
    const { printed: json } = await csp(['--sandbox', '--set', 'claims.jsonl', '--judge', 'claude', '--json'])
    expect(JSON.parse(json)).toMatchObject({
      ...{ judge: 'claude', calls: 1 },
      trials: [{ judge: { says: 'supported' } }, { judge: { says: 'contradicted' }, verdict: 'not-found' }],
    })
  })

  test('that is judged costs calls, so somebody has to agree', async () => {
    const { code, complaints } = await csp(['--set', 'claims.jsonl', '--judge', 'claude'])
    expect([code, complaints]).toEqual([2, expect.stringContaining('--yes')])
  })

  test('names the line that is wrong', async () => {
    const { code, complaints } = await csp(['--set', 'bad-claims.jsonl'])
    expect([code, complaints]).toEqual([2, expect.stringContaining('bad-claims.jsonl: Line 1: label')])
  })
})
