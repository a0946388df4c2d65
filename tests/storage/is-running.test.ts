import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eventually } from '@csp/testing/eventually'
import { isRunning } from '../../src/storage/is-running.ts'
import { testNeeding } from '../support/needs.ts'

test('the process of the test is running, and the greatest process id is not in use', () => {
  expect(isRunning(process.pid)).toBe(true)
  expect(isRunning(2 ** 31 - 1)).toBe(false)
})

testNeeding('Linux', process.platform === 'linux')(
  'a killed process is not running, even before its parent has waited for it',
  async () => {
    // The shell becomes `sleep` and never asks after its child.
    const parent = Bun.spawn(['sh', '-c', 'sleep 60 & echo $!; exec sleep 60'], { stdout: 'pipe' })
    try {
      const { value } = await parent.stdout.getReader().read()
      const child = Number(new TextDecoder().decode(value))
      expect(isRunning(child)).toBe(true)
      await eventually(() => readFileSync(`/proc/${parent.pid}/cmdline`, 'utf8').startsWith('sleep'))
      process.kill(child, 'SIGKILL')
      while (isRunning(child)) await Bun.sleep(1)
      expect(() => process.kill(child, 0)).not.toThrow()
    } finally {
      parent.kill()
      await parent.exited
    }
  },
)
