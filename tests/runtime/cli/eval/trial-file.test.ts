import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contender } from '../../../../src/eval/contender.ts'
import type { Trial } from '../../../../src/eval/evaluate.ts'
import type { Question } from '../../../../src/eval/questions/question.ts'
import { claimsOf, questionsOf } from '../../../../src/runtime/cli/eval/question-set.ts'
import { TrialFile } from '../../../../src/runtime/cli/eval/trial-file.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-trial-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = { set: 'facts', judge: 'none' }
const head = '{"csp":"eval","set":"facts","judge":"none"}'
const trial = (question: string, strategy = 'fast') => ({ question, backend: 'claude', strategy, ms: 1 }) as Trial
const contender = (strategy: string) => ({ backend: 'claude', strategy }) as unknown as Contender
const question = (id: string) => ({ id }) as Question
let count = 0
const path = (text?: string) => {
  const file = join(folder, `trials-${count++}`)
  if (text !== undefined) writeFileSync(file, text)
  return file
}

test('a new file has a head, then each trial, for its owner alone', () => {
  const file = path()
  const trials = new TrialFile(file, run)
  trials.add(trial('1'))
  expect(readFileSync(file, 'utf8')).toBe(`${head}\n${JSON.stringify(trial('1'))}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // What was added since is none of what the file had.
  expect(trials.has(question('1'), contender('fast'))).toBe(false)
})

test('an earlier file is gone on with: what it knows, and a new line behind one that is torn', () => {
  const lines = [head, JSON.stringify(trial('1')), '{"question": 2}', JSON.stringify(trial('2', 'deep')), '{"quest']
  const file = path(lines.join('\n'))
  const trials = new TrialFile(file, run)
  const known = [question('1'), question('2'), question('3')].map((one) => [
    trials.has(one, contender('fast')),
    trials.has(one, contender('deep')),
  ])
  expect(known).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ])
  expect(trials.known([question('2'), question('1')], [contender('deep'), contender('fast')])).toEqual([
    trial('2', 'deep'),
    trial('1'),
  ])
  expect(readFileSync(file, 'utf8')).toEndWith('{"quest\n')
  const whole = path(`${head}\n`)
  new TrialFile(whole, run)
  expect(readFileSync(whole, 'utf8')).toBe(`${head}\n`)
})

test('the file of another evaluation is refused, and so is one that cannot be used', () => {
  const long = `${'x'.repeat(200)}yyy`
  const other = path(`${long}\nmore`)
  expect(() => new TrialFile(other, run)).toThrow(
    new UsageError(`--out ${other} belongs to another evaluation: ${'x'.repeat(200)}`),
  )
  expect(() => new TrialFile(folder, run)).toThrow(new UsageError(`--out ${folder} cannot be read.`))
  const nowhere = join(folder, 'none/file')
  expect(() => new TrialFile(nowhere, run)).toThrow(new UsageError(`--out ${nowhere} cannot be written.`))
})

test('questions come from a set, the first or a sample of them', async () => {
  const text = Array.from({ length: 60 }, (_, at) => JSON.stringify({ question: `Q${at}?`, answer: 'A' })).join('\n')
  writeFileSync(join(folder, 'own.jsonl'), ` \n${text}`)
  const ask = async (more: Parameters<typeof questionsOf>[0]) =>
    (await questionsOf({ set: 'own.jsonl', ...more }, folder, AbortSignal.abort())).map(({ question: said }) => said)
  expect((await ask({})).length).toBe(50)
  expect(await ask({ count: 2 })).toEqual(['Q0?', 'Q1?'])
  const sample = await ask({ sample: 5, count: 2 })
  expect([sample.length, await ask({ sample: 5, seed: 1 })]).toEqual([5, sample])
  expect(await ask({ sample: 5, seed: 2 })).not.toEqual(sample)
  expect((await questionsOf({}, folder, AbortSignal.abort())).length).toBeGreaterThan(20)
  expect((await questionsOf({ set: 'facts', count: 3 }, folder, AbortSignal.abort())).length).toBe(3)
  await expect(ask({ set: 'none' })).rejects.toThrow(
    new UsageError('--set must be facts, fresh or a file of questions; "none" cannot be read.'),
  )
  writeFileSync(join(folder, 'bad.jsonl'), '{"question": 7}')
  await expect(ask({ set: 'bad.jsonl' })).rejects.toThrow(/^bad\.jsonl: /)
})

test('claims come from a file alone, the first or a sample of them', () => {
  const claim = (at: number) => JSON.stringify({ claim: `C${at}.`, label: 'supported', evidence: ['E.'] })
  writeFileSync(join(folder, 'claims.jsonl'), Array.from({ length: 9 }, (_, at) => claim(at)).join('\n'))
  writeFileSync(join(folder, 'bad-claims.jsonl'), '{"claim": "A", "label": "so", "evidence": ""}')
  const claims = (more: Parameters<typeof claimsOf>[0]) =>
    claimsOf({ set: 'claims.jsonl', ...more }, folder)?.map(({ claim: said }) => said)
  expect([claims({})?.length, claims({ count: 2 })]).toEqual([9, ['C0.', 'C1.']])
  const sample = claims({ sample: 4 })
  expect([sample?.length, claims({ sample: 4, seed: 1 })]).toEqual([4, sample])
  for (const set of ['facts', 'fresh', 'own.jsonl', 'none']) expect(claims({ set, sample: 4 })).toBeUndefined()
  expect(claimsOf({}, folder)).toBeUndefined()
  expect(claimsOf({ set: '.' }, folder)).toBeUndefined()
  expect(() => claims({ set: 'bad-claims.jsonl' })).toThrow(UsageError)
})
