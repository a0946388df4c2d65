import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDisk } from '../../../../src/runtime/cli/doctor/check-disk.ts'
import { testNeeding } from '../../../support/needs.ts'
import { mayMount, mount } from '../../../support/small-disk.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-room-'))
afterAll(() => rmSync(scratch, { recursive: true }))

test('doctor says how much room there is, and leaves nothing behind', () => {
  const missing = join(scratch, 'not/there')
  const { status, message } = checkDisk({ stateDir: scratch, cacheDir: missing })
  expect(status).not.toBe('fail')
  expect(message).toMatch(/^[\d,]+ MB free$/)
  expect(readdirSync(scratch)).toEqual([])
})

testNeeding('the right to mount', mayMount)('doctor fails on a full disk, and warns of one that nearly is', () => {
  const stateDir = join(scratch, 'disk')
  using _disk = mount(stateDir, 'size=1m')
  expect(checkDisk({ stateDir, cacheDir: scratch })).toMatchObject({ status: 'warn', message: '1 MB free' })
  expect(() => writeFileSync(join(stateDir, 'filling'), Buffer.alloc(2_000_000))).toThrow('ENOSPC')
  expect(checkDisk({ stateDir, cacheDir: scratch })).toMatchObject({
    status: 'fail',
    message: `full: nothing can be written to ${stateDir}`,
    remedy: expect.stringContaining('--state-dir'),
  })
})
