import { expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { identityOf } from '../../../src/runtime/background/process-identity.ts'
import { testNeeding } from '../../support/needs.ts'

test('the identity of a process is one line, the same as long as it runs, and none where nothing runs', () => {
  const own = identityOf(process.pid)
  expect(own).toBe(identityOf(process.pid))
  // Windows has none.
  expect(own ?? 'x').toMatch(/^[^\n]+$/)
  expect(identityOf(2 ** 30)).toBeUndefined()
})

const isLinux = process.platform === 'linux'

testNeeding('Linux', isLinux)('on Linux it is the boot, and the tick at which the process began', () => {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trimEnd()
  for (const pid of [process.pid, process.ppid]) {
    // The name, in parentheses, may hold spaces; the time of the start is the 22nd field.
    const [, fields = ''] = /^\d+ \(.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    expect(identityOf(pid)).toBe(`${boot} ${fields.split(' ')[22 - 3]}`)
  }
})

test.each([
  [{ success: true, stdout: Buffer.from('Thu Nov 26 20:16:56 2026\n') }, 'Thu Nov 26 20:16:56 2026'],
  [{ success: true, stdout: Buffer.from('\n') }, undefined],
  [{ success: false, stdout: Buffer.from('Thu Nov 26 20:16:56 2026\n') }, undefined],
  [undefined, undefined],
])('on other systems it is the time that ps prints, without the words of a language: %p', (outcome, identity) => {
  const own = process.platform
  const run = spyOn(Bun, 'spawnSync').mockImplementation((() => {
    if (outcome) return outcome
    throw new Error('There is no ps.')
  }) as never)
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  try {
    expect(identityOf(process.pid)).toBe(identity)
    expect(run.mock.calls as unknown).toEqual([
      [['ps', '-o', 'lstart=', '-p', `${process.pid}`], { env: { LC_ALL: 'C' } }],
    ])
    expect(identityOf(2 ** 30)).toBeUndefined()
  } finally {
    Object.defineProperty(process, 'platform', { value: own })
    run.mockRestore()
  }
})
