import { describe, expect, test } from 'bun:test'
import { type OneOff, quietLog, runOneOff } from '../../../src/runtime/cli/one-off.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { type TestShell, testShell } from '../test-shell.ts'

interface Trial {
  readonly isQuiet?: boolean
  readonly isTerminal?: boolean
  readonly flags?: Readonly<Record<string, string>>
  readonly warnings?: readonly string[]
}

/** A command that does this, and what it says. */
async function running(work: (frame: OneOff, shell: TestShell) => Promise<void>, trial: Trial = {}) {
  const shell = testShell({ environment: { HOME: '/nowhere' }, directory: '/', isTerminal: trial.isTerminal })
  const loaded = { ...loadConfig(trial.flags ?? {}, shell.environment, '/'), warnings: trial.warnings ?? [] }
  const explain = (error: unknown) => ({ message: `It failed:\n${error}`, cause: 'the moon', code: 7 })
  const code = await runOneOff({ shell, loaded }, trial.isQuiet ?? false, (frame) => work(frame, shell), explain)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

describe('a command that does one thing', () => {
  test('says what it has to say: first the warnings, then its output, then the hints for a person', async () => {
    const work = async ({ print, hint, progress }: OneOff) => {
      progress.show('Working')
      hint('First hint')
      hint('Second hint')
      print('Output')
      progress.show('Never shown again')
    }
    const told = await running(work, { isTerminal: true, warnings: ['Beware.'] })
    expect(told).toEqual({
      code: 0,
      printed: 'Output',
      complaints: 'Beware.\n\rWorking 0 s\x1b[K\r\x1b[2KFirst hint\nSecond hint\n',
    })
    const piped = await running(work, { warnings: ['Beware.'] })
    expect(piped).toEqual({ code: 0, printed: 'Output', complaints: 'Beware.\n' })
    expect(await running(work, { isTerminal: true, isQuiet: true })).toMatchObject({ complaints: '' })
  })

  test('fails on a line of its own, in one line, and says the cause where debugging is asked for', async () => {
    const failing =
      (text: string) =>
      async ({ print }: OneOff) => {
        print(text)
        print('')
        throw new Error('no seals')
      }
    const message = 'It failed: Error: no seals\n'
    expect(await running(failing('Half a li'))).toEqual({ code: 7, printed: 'Half a li\n', complaints: message })
    expect(await running(failing('A line\n'))).toEqual({ code: 7, printed: 'A line\n', complaints: message })
    expect(await running(failing(''))).toEqual({ code: 7, printed: '', complaints: message })
    const debugged = await running(failing(''), { flags: { 'log-level': 'debug' } })
    expect(debugged.complaints).toMatch(/^It failed: Error: no seals\n\S+ debug because: the moon\n$/)
  })

  test('takes its progress away where it fails, and shows no hints', async () => {
    const work = async ({ progress, hint }: OneOff) => {
      progress.show('Working')
      hint('A hint')
      throw 'no seals'
    }
    const { complaints } = await running(work, { isTerminal: true })
    expect(complaints).toBe('\rWorking 0 s\x1b[K\r\x1b[2KIt failed: no seals\n')
  })

  test('knows how long it has run, in whole milliseconds', async () => {
    let [began, before, elapsed, after] = [0, 0, 0, 0]
    await running(async ({ elapsedMs, createdAt }) => {
      began = createdAt.getTime()
      before = Date.now()
      elapsed = elapsedMs()
      after = Date.now()
    })
    expect(elapsed).toBeWithin(before - began, after - began + 1)
  })

  test('is stopped by a signal, and closes what it has opened', async () => {
    const [closed, stopped]: [string[], boolean[]] = [[], []]
    const { code } = await running(async ({ signal, atEnd }, shell) => {
      for (const name of ['one', 'two']) atEnd(async () => void closed.push(name))
      stopped.push(signal.aborted)
      shell.send('SIGINT')
      stopped.push(signal.aborted)
      throw new Error('stopped')
    })
    expect([code, closed, stopped]).toEqual([7, ['one', 'two'], [false, true]])
  })

  test('waits for what it closes', async () => {
    let isClosed = false
    await running(async ({ atEnd }) =>
      atEnd(async () => {
        await Bun.sleep(1)
        isClosed = true
      }),
    )
    expect(isClosed).toBe(true)
  })
})

test('a quiet log begins at its own level, unless the settings name one', () => {
  const lines = (flags: Readonly<Record<string, string>>, usual: 'error' | 'warning') => {
    const shell = testShell({ environment: {}, directory: '/' })
    const log = quietLog({ shell, loaded: loadConfig(flags, { HOME: '/nowhere' }, '/') }, usual)
    for (const level of ['debug', 'info', 'warning', 'error'] as const) log(level, level)
    return shell.complaints().match(/\w+$/gm)
  }
  expect(lines({}, 'error')).toEqual(['error'])
  expect(lines({}, 'warning')).toEqual(['warning', 'error'])
  expect(lines({ 'log-level': 'info' }, 'error')).toEqual(['info', 'warning', 'error'])
})
