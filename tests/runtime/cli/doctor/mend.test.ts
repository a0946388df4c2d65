import { describe, expect, test } from 'bun:test'
import { isOpen, mendFindings } from '../../../../src/runtime/cli/doctor/doctor.ts'
import type { Finding } from '../../../../src/runtime/cli/doctor/finding.ts'
import { Interrupted, UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

const wrong: Finding = { status: 'warn', check: 'permissions', message: 'wrong' }
const fine: Finding = { status: 'ok', check: 'port', message: 'free' }

/** Findings that are mended so, and what a person sees. */
async function mending(
  run: () => Promise<boolean>,
  isAgreed: boolean,
  more: Partial<TestShellOptions> = {},
  asks?: true,
) {
  const shell = testShell({ environment: {}, directory: '/', ...more })
  const mend = { what: 'close it', run, asks }
  const results = await mendFindings([fine, { ...wrong, mend }, wrong], shell, isAgreed)
  expect([results[0], results[2]]).toEqual([fine, wrong])
  expect(results).toHaveLength(3)
  return { mended: results[1], printed: shell.printed() }
}
const helps = async () => true

describe('what can be mended', () => {
  test('is asked for, and mended with a yes', async () => {
    for (const reply of ['y', '']) {
      const { mended, printed } = await mending(helps, false, { reply })
      expect([mended, printed]).toEqual([{ ...wrong, mended: true }, expect.stringMatching(/^close it\? .*\n$/)])
    }
    let isRun = false
    const run = async () => (isRun = true)
    expect(await mending(run, false, { reply: 'n' })).toMatchObject({ mended: wrong })
    expect(isRun).toBe(false)
    await expect(mending(run, false)).rejects.toThrow(UsageError)
  })

  test('is mended at once where that is agreed, except what talks with a person who is not there', async () => {
    expect(await mending(helps, true)).toEqual({ mended: { ...wrong, mended: true }, printed: 'close it\n  Done.\n' })
    expect(await mending(helps, true, {}, true)).toEqual({ mended: wrong, printed: '' })
    expect((await mending(helps, true, { isTerminal: true }, true)).printed).toBe('close it\n  Done.\n')
  })

  test('and is not says why, except at Ctrl-C, which ends it', async () => {
    const failing = (error: unknown) => mending(() => Promise.reject(error), true)
    expect(await mending(async () => false, true)).toEqual({
      mended: { ...wrong, mended: false },
      printed: expect.stringMatching(/^close it\n {2}\S.*\n$/),
    })
    expect(await failing(new Error('no\nright'))).toEqual({
      ...{ mended: { ...wrong, mended: false }, printed: 'close it\n  no right\n' },
    })
    await expect(failing(new Interrupted('Stopped.'))).rejects.toThrow('Stopped.')
  })
})

test('open is what is wrong and not mended', () => {
  expect([
    ...[isOpen(fine), isOpen(wrong), isOpen({ ...wrong, mended: false }), isOpen({ ...wrong, mended: true })],
  ]).toEqual([false, true, true, false])
})
