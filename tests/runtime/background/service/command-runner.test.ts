import { expect, test } from 'bun:test'
import { createCommandRunner } from '../../../../src/runtime/background/service/command-runner.ts'

const run = createCommandRunner({ PATH: '/usr/bin:/bin', WORD: 'seal' })

test('a program of the system is found on PATH, and what it says on both outputs is trimmed', async () => {
  expect(await run('sh', ['-c', 'echo; echo $WORD; echo no >&2; exit 3'])).toEqual({ code: 3, said: 'seal\nno' })
})

test('a program that is not there has no code', async () => {
  const missing = { code: undefined, said: 'sh is not there.' }
  for (const environment of [{ PATH: '/nowhere' }, {}]) {
    expect(await createCommandRunner(environment)('sh', ['-c', 'true'])).toEqual(missing)
  }
})

test('a program that is followed ends with the signal, and says nothing more', async () => {
  const stop = new AbortController()
  const seen: string[] = []
  const write = (text: string): void => {
    seen.push(text)
    stop.abort()
  }
  const end = await run('sh', ['-c', 'echo on; exec sleep 60'], { write, stopped: stop.signal })
  expect([seen, end]).toEqual([['on\n'], { code: undefined, said: '' }])
})
