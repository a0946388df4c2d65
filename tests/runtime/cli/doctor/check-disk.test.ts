import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkDisk } from '../../../../src/runtime/cli/doctor/check-disk.ts'
import { testNeeding } from '../../../support/needs.ts'
import { mayMount, mount } from '../../../support/small-disk.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-room-'))
const keyFile = join(scratch, 'keys.json')
afterAll(() => rmSync(scratch, { recursive: true }))

test('doctor says how much room there is, and leaves nothing behind', () => {
  const missing = join(scratch, 'not/there')
  const { status, message } = checkDisk({ stateDir: scratch, cacheDir: missing, keyFile })
  expect(status).not.toBe('fail')
  expect(message).toMatch(/^[\d,]+ MB free$/)
  expect(readdirSync(scratch)).toEqual([])
})

testNeeding('the right to mount', mayMount)('doctor fails on a full disk, and warns of one that nearly is', () => {
  const stateDir = join(scratch, 'disk')
  using _disk = mount(stateDir, 'size=1m')
  expect(checkDisk({ stateDir, cacheDir: scratch, keyFile })).toMatchObject({ status: 'warn', message: '1 MB free' })
  expect(() => writeFileSync(join(stateDir, 'filling'), Buffer.alloc(2_000_000))).toThrow('ENOSPC')
  expect(checkDisk({ stateDir, cacheDir: scratch, keyFile })).toMatchObject({
    status: 'fail',
    message: `nothing can be written to ${stateDir} (the disk is full)`,
    remedy: expect.stringContaining('--state-dir'),
  })
})

testNeeding('the right to mount', mayMount)('doctor fails where a folder is read-only', () => {
  const stateDir = join(scratch, 'sealed')
  using _disk = mount(stateDir, 'size=64k,ro')
  expect(checkDisk({ stateDir, cacheDir: scratch, keyFile })).toMatchObject({
    status: 'fail',
    message: `nothing can be written to ${stateDir} (it is read-only)`,
  })
})

test.each([
  ['the state folder', (file: string) => ({ stateDir: file })],
  ['the cache', (file: string) => ({ cacheDir: file })],
  ['the folder of the keys', (file: string) => ({ keyFile: join(file, 'keys.json') })],
])('doctor fails where a file is in the place of %s', (_which, folders) => {
  const file = join(scratch, 'a-file')
  writeFileSync(file, '')
  expect(checkDisk({ stateDir: scratch, cacheDir: scratch, keyFile, ...folders(file) })).toMatchObject({
    status: 'fail',
    message: `${file} is not a folder`,
  })
  rmSync(file)
})

testNeeding('Linux', process.platform === 'linux')('doctor fails where no folder can be made', () => {
  expect(checkDisk({ stateDir: '/proc/nope', cacheDir: scratch, keyFile })).toMatchObject({ status: 'fail' })
})

testNeeding('the right to mount', mayMount)('doctor tries the folders within the state folder, too', () => {
  for (const name of ['log', 'run', 'receipts', 'memory']) {
    const within = join(scratch, 'state', name)
    using _disk = mount(within, 'size=64k,ro')
    expect(checkDisk({ stateDir: join(scratch, 'state'), cacheDir: scratch, keyFile })).toMatchObject({
      status: 'fail',
      message: `nothing can be written to ${within} (it is read-only)`,
    })
  }
})
