import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickTimers } from '@csp/testing/quick-timers'
import { logs } from '../../../../src/runtime/cli/logs/logs.ts'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-logs-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'))
  file = join(home, '.local/state/csp/log/csp.log')
  mkdirSync(join(file, '..'), { recursive: true })
})

const shellHere = () => testShell({ environment: { HOME: home, PATH: '' }, directory: home })
async function shown(...args: readonly string[]) {
  const shell = shellHere()
  const code = await runCommand(logs, args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('')

describe('csp logs', () => {
  test('shows the last fifty lines, or as many as were asked for', async () => {
    writeFileSync(file, lines(0, 60))
    expect(await shown()).toEqual({ code: 0, printed: lines(10, 60), complaints: '' })
    expect((await shown('-n', '2')).printed).toBe(lines(58, 60))
    expect((await shown('-n', '0')).printed).toBe('')
    expect((await shown('-n', '61')).printed).toBe(lines(0, 60))
  })

  test('takes what is missing from the older log, and only that', async () => {
    writeFileSync(file, 'c\nd')
    writeFileSync(`${file}.1`, 'a\nb\n')
    expect((await shown('-n', '3')).printed).toBe('b\nc\nd\n')
    expect((await shown('-n', '2')).printed).toBe('c\nd\n')
  })

  test('shows no half line of a log that is too large to be read whole, and every whole one', async () => {
    const line = `${'x'.repeat(1023)}\n`
    writeFileSync(file, line.repeat(16 * 1024))
    const whole = (await shown('-n', '1000000')).printed
    expect(whole.length).toBe(16 * 1024 * 1024)
    appendFileSync(file, 'last\n')
    const cut = (await shown('-n', '1000000')).printed
    expect([cut.length, cut.slice(0, 4), cut.slice(-6)]).toEqual([16 * 1024 * 1024 - 1024 + 5, 'xxxx', '\nlast\n'])
    appendFileSync(file, `${'y'.repeat(1018)}\n`)
    expect((await shown('-n', '1000000')).printed.length).toBe(16 * 1024 * 1024)
  })

  test('lets no control character through', async () => {
    writeFileSync(file, 'a\u001b[31mred\n')
    expect((await shown()).printed).toBe('ared\n')
  })

  test('says where there is none, and how it comes to be', async () => {
    expect(await shown()).toEqual({
      code: 1,
      printed: '',
      complaints: `There is no log at ${file}: csp start writes one.\n`,
    })
  })
})

describe('csp logs -f', () => {
  test('goes on with what is written, also behind a new log, until Ctrl-C', async () => {
    using _ = quickTimers()
    writeFileSync(file, 'a\n')
    const shell = shellHere()
    const ended = runCommand(logs, ['-f'], shell)
    await shell.says('a\n')
    appendFileSync(file, 'b\n')
    await shell.says('b\n')
    // A look that finds nothing new writes nothing.
    await Bun.sleep(450)
    appendFileSync(file, 'c\n')
    renameSync(file, `${file}.1`)
    // It may be longer already than the one before was.
    writeFileSync(file, 'd\ne\nf\n')
    await shell.says('f\n')
    expect(await Promise.race([ended, Bun.sleep(1)])).toBeUndefined()
    shell.send('SIGINT')
    expect([await ended, shell.printed()]).toEqual([0, 'a\nb\nc\nd\ne\nf\n'])
  })

  test('waits where the log is gone, and has no older one', async () => {
    using _ = quickTimers()
    writeFileSync(file, 'a\n')
    const shell = shellHere()
    const ended = runCommand(logs, ['-f', '-n', '1'], shell)
    await shell.says('a\n')
    rmSync(file)
    await Bun.sleep(450)
    writeFileSync(file, 'new\n')
    await shell.says('new')
    shell.send('SIGTERM')
    expect([await ended, shell.printed()]).toEqual([0, 'a\nnew\n'])
  })
})
