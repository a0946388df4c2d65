import { afterAll, expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLogFile,
  olderLog,
  openLog,
  rotatedErrors,
  rotatedStream,
} from '../../../src/runtime/background/log-file.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { testNeeding } from '../../support/needs.ts'
import { mayMount, mount } from '../../support/small-disk.ts'
import { testShell } from '../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-log-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const place = { isTerminal: false, columns: 80 }
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

test('a log that grows is moved to the older one while csp runs, and no line is lost', () => {
  const path = join(scratch, 'growing.log')
  createLogFile(path)
  const log = rotatedStream(place, path, 1000)
  for (let number = 0; number < 30; number++) log.write(`line ${number} ${'x'.repeat(50)}\n`)
  const [older, lines] = [linesOf(olderLog(path)), linesOf(path)]
  expect([...older, ...lines].map((line) => line.split(' ')[1])).toEqual(
    Array.from({ length: older.length + lines.length }, (_, index) => String(30 - older.length - lines.length + index)),
  )
  expect(lines.length).toBeLessThan(20)
  for (const file of [path, olderLog(path)]) {
    expect(statSync(file).size).toBeLessThan(1100)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  }
})

test('a log is opened at its end, for its user alone, and begins anew where it is large', () => {
  const path = join(scratch, 'opened.log')
  writeFileSync(path, 'said before\n', { mode: 0o644 })
  const { handle, at } = openLog(path)
  closeSync(handle)
  expect({ at, mode: statSync(path).mode & 0o777 }).toEqual({ at: 12, mode: 0o600 })
  writeFileSync(path, 'x'.repeat(5 * 1024 * 1024))
  const large = openLog(path)
  closeSync(large.handle)
  expect(large.at).toBe(0)
  expect(statSync(olderLog(path)).size).toBe(5 * 1024 * 1024)
})

test('two processes that share a log tear no line', async () => {
  const path = join(scratch, 'shared.log')
  createLogFile(path)
  const source = `
    const { rotatedStream } = await import(${JSON.stringify(join(import.meta.dir, '../../../src/runtime/background/log-file.ts'))})
    const log = rotatedStream({ isTerminal: false, columns: 80 }, ${JSON.stringify(path)}, 20_000)
    for (let number = 0; number < 3000; number++) log.write(process.argv[1] + ' ' + number + ' ' + 'x'.repeat(60) + '\\n')`
  const children = ['a', 'b'].map((name) =>
    Bun.spawn([process.execPath, '-e', source, name], { cwd: scratch, stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0])
  const lines = [...linesOf(olderLog(path)), ...linesOf(path)]
  expect(lines.length).toBeGreaterThan(100)
  expect(lines.filter((line) => !/^[ab] \d+ x{60}$/.test(line))).toEqual([])
})

test('a log that another program has moved away is written to its end, and the new one there is left alone', () => {
  const path = join(scratch, 'moved.log')
  const log = rotatedStream(place, path, 1000)
  log.write(`${'x'.repeat(999)}\n`)
  renameSync(path, join(scratch, 'moved-away.log'))
  writeFileSync(path, 'of another csp\n')
  log.write('the last line\n')
  expect(readFileSync(path, 'utf8')).toBe('of another csp\n')
  expect(linesOf(join(scratch, 'moved-away.log')).at(-1)).toBe('the last line')
  expect(existsSync(olderLog(path))).toBe(false)
})

testNeeding('/dev/full', existsSync('/dev/full'))('a log on a full disk does not end csp', () => {
  const log = rotatedStream(place, '/dev/full', 1000)
  for (let number = 0; number < 3; number++) log.write('line\n')
})

test('a log that cannot be moved grows to twice its length, and begins anew then', () => {
  const path = join(scratch, 'stuck.log')
  createLogFile(path)
  const log = rotatedStream(place, path, 1000)
  const sizes = Array.from({ length: 30 }, () => {
    rmSync(`${olderLog(path)}.${process.pid}.tmp`, { force: true })
    symlinkSync(join(scratch, 'nowhere/at-all'), `${olderLog(path)}.${process.pid}.tmp`)
    log.write(`${'x'.repeat(99)}\n`)
    return statSync(path).size
  })
  expect(Math.max(...sizes)).toBe(2000)
  expect(sizes.slice(19, 22)).toEqual([2000, 100, 200])
  expect(existsSync(olderLog(path))).toBe(false)
})

testNeeding('the right to mount', mayMount)('a log on a disk that takes no other file is written on', () => {
  const disk = join(scratch, 'no-files')
  // One is the folder, and one the log.
  using _disk = mount(disk, 'size=1m,nr_inodes=2')
  const path = join(disk, 'csp.log')
  const log = rotatedStream(place, path, 1000)
  const sizes = Array.from({ length: 30 }, () => {
    log.write(`${'x'.repeat(99)}\n`)
    return statSync(path).size
  })
  expect(sizes.slice(9, 12)).toEqual([1000, 1100, 1200])
  expect(sizes.slice(19, 22)).toEqual([2000, 100, 200])
})

test('standard error that is no log stays what it is', () => {
  const path = join(scratch, 'another.log')
  createLogFile(path)
  const { errors } = testShell({ environment: {}, directory: scratch })
  for (const log of [path, join(scratch, 'missing.log')]) expect(rotatedErrors(errors, log)).toBe(errors)
})

test('standard error that is the log is moved away when it is large', () => {
  const path = join(scratch, 'errors.log')
  const { handle } = openLog(path)
  const before = Object.getOwnPropertyDescriptor(process.stderr, 'fd')
  Object.defineProperty(process.stderr, 'fd', { value: handle, configurable: true })
  try {
    const { errors } = testShell({ environment: {}, directory: scratch })
    const log = rotatedErrors({ ...errors, isTerminal: true, columns: 120 }, path, 10)
    expect(log).toMatchObject({ isTerminal: true, columns: 120 })
    for (const line of ['the first\n', 'the second\n']) log.write(line)
  } finally {
    Object.defineProperty(process.stderr, 'fd', before ?? {})
    closeSync(handle)
  }
  expect([linesOf(olderLog(path)), linesOf(path)]).toEqual([['the first'], ['the second']])
})

test('csp logs shows the end of the older log where the new one is short', async () => {
  const state = join(scratch, 'state')
  mkdirSync(join(state, 'log'), { recursive: true })
  writeFileSync(join(state, 'log/csp.log'), 'c\nd\n')
  writeFileSync(join(state, 'log/csp.log.1'), 'a\nb\n')
  const shown = async (count: number) => {
    const shell = testShell({ environment: { HOME: scratch, CSP_STATE_DIR: state }, directory: scratch })
    await main(['logs', '-n', String(count)], shell)
    return shell.printed()
  }
  expect(await shown(3)).toBe('b\nc\nd\n')
  expect(await shown(1)).toBe('d\n')
})
