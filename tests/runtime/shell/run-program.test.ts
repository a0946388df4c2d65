import { expect, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { type RunOptions, runProgram } from '../../../src/runtime/shell/run-program.ts'

const run = (script: string, options: Partial<RunOptions> = {}) =>
  runProgram(['/bin/sh', '-c', script], { env: { PATH: '/usr/bin:/bin', WORD: 'seal' }, ...options })

test.each<[string, string, Partial<RunOptions>, [string, string, number?]]>([
  ['what it writes, and how it ended', 'echo $WORD; echo no >&2; exit 3', {}, ['seal\n', 'no\n', 3]],
  ['what it reads', 'cat', { input: 'a secret' }, ['a secret', '', 0]],
  ['nothing to read', 'cat', {}, ['', '', 0]],
  ['its folder', 'pwd', { cwd: realpathSync(tmpdir()) }, [`${realpathSync(tmpdir())}\n`, '', 0]],
  ['no code where its time is over', 'echo on; exec sleep 60', { timeoutMs: 100 }, ['on\n', '']],
])('a program has %s', async (_, script, options, [output, errors, code]) => {
  expect(await run(script, options)).toEqual({ output, errors, code })
})

test('a program that is not there does not reject', async () => {
  const { code, output, errors } = await runProgram(['/nowhere/program'], { env: {} })
  expect([code, output]).toEqual([undefined, ''])
  expect(errors).toContain('/nowhere/program')
})

test('a program is followed while it runs, letter by letter, until the signal ends it', async () => {
  const stop = new AbortController()
  let seen = ''
  const write = (text: string) => {
    seen += text
    if (seen.endsWith('ü')) stop.abort()
  }
  // The bytes of one letter come apart.
  const script = String.raw`printf 'on\303'; sleep 0.1; printf '\274'; exec sleep 60`
  const end = await run(script, { write, signal: stop.signal })
  expect([seen, end]).toEqual(['onü', { code: undefined, output: '', errors: '' }])
})
