import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handoverSignal, interruption, processShell } from '../../../src/runtime/shell/shell.ts'
import { testNeeding } from '../../support/needs.ts'
import { testShell } from '../test-shell.ts'

function interrupted() {
  const clock = { now: 1000 }
  const shell = testShell({ environment: {}, directory: '/' })
  return { clock, shell, stop: interruption(shell, () => clock.now) }
}

test('the first signal asks csp to stop and is reported by name', () => {
  const { shell, stop } = interrupted()
  expect(stop.first.aborted).toBe(false)
  shell.send('SIGTERM')
  expect(stop.first.reason).toBe('SIGTERM')
  expect(stop.again.aborted).toBe(false)
})

test('one Ctrl-C that arrives by terminal, npm and launcher counts as one signal', () => {
  const { clock, shell, stop } = interrupted()
  shell.send('SIGINT')
  clock.now += 50
  shell.send('SIGINT')
  shell.send('SIGTERM')
  expect(stop.again.aborted).toBe(false)
})

test('a second signal later stops csp at once', () => {
  const { clock, shell, stop } = interrupted()
  shell.send('SIGINT')
  clock.now += 400
  shell.send('SIGINT')
  expect(stop.again.aborted).toBe(false)
  clock.now += 1
  shell.send('SIGTERM')
  expect([stop.first.reason, stop.again.reason]).toEqual(['SIGINT', 'SIGTERM'])
})

test('after the end the shell no longer listens for signals', () => {
  const { shell, stop } = interrupted()
  stop.end()
  shell.send('SIGINT')
  expect(stop.first.aborted).toBe(false)
})

describe('the shell of this process', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'csp-shell-'))
  const files = {
    file: openSync(join(scratch, 'log'), 'w'),
    none: openSync('/dev/null', 'w'),
    device: openSync('/dev/zero', 'r'),
    folder: openSync(scratch, 'r'),
    closed: 1_000_000,
  }
  const streams = ['stdout', 'stderr'] as const
  const before = streams.map((name) => Object.getOwnPropertyDescriptor(process[name], 'fd'))
  const manager = process.env['CSP_MANAGER']
  beforeEach(() => {
    delete process.env['CSP_MANAGER']
  })
  afterEach(() => {
    for (const [index, name] of streams.entries()) Object.defineProperty(process[name], 'fd', before[index] ?? {})
    if (manager === undefined) delete process.env['CSP_MANAGER']
    else process.env['CSP_MANAGER'] = manager
  })

  /** The signals that reach a listener of the shell, where the outputs are these. */
  function reaching(output: keyof typeof files, errors: keyof typeof files) {
    const fds = [files[output], files[errors]]
    for (const [index, name] of streams.entries()) {
      Object.defineProperty(process[name], 'fd', { value: fds[index], configurable: true })
    }
    const reached: unknown[] = []
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const counts = () => signals.map((signal) => process.listenerCount(signal))
    // What other test files have loaded may listen, too, and end this process.
    const others = signals.map((signal) => process.rawListeners(signal))
    for (const signal of signals) process.removeAllListeners(signal)
    const end = processShell().onSignal((signal) => reached.push(signal))
    // A hangup that is ignored needs a listener, too: without one it ends the process.
    expect(counts()).toEqual([1, 1, 1])
    for (const signal of signals) process.emit(signal, signal)
    end()
    expect(counts()).toEqual([0, 0, 0])
    for (const [index, signal] of signals.entries())
      for (const listener of others[index] ?? []) process.on(signal, listener as NodeJS.SignalsListener)
    return reached
  }

  testNeeding('/dev/null', process.platform !== 'win32')(
    'stops at a hangup, unless its outputs outlive a terminal',
    () => {
      for (const [output, errors] of [
        ['file', 'file'],
        ['file', 'none'],
        ['none', 'none'],
      ] as const)
        expect([output, errors, ...reaching(output, errors)]).toEqual([output, errors, 'SIGINT', 'SIGTERM'])
      for (const [output, errors] of [
        ['file', 'folder'],
        ['device', 'file'],
        ['none', 'closed'],
      ] as const)
        expect([output, errors, ...reaching(output, errors)]).toEqual([output, errors, 'SIGINT', 'SIGTERM', 'SIGHUP'])
    },
  )

  test('is not stopped by a hangup where something manages it', () => {
    process.env['CSP_MANAGER'] = 'background'
    expect(reaching('folder', 'folder')).toEqual(['SIGINT', 'SIGTERM'])
  })

  testNeeding(handoverSignal, process.platform !== 'win32')(
    'hears that another csp asks for its place, until it ends',
    () => {
      let asked = 0
      const end = processShell().onHandover(() => asked++)
      process.emit(handoverSignal, handoverSignal)
      end()
      expect(process.listenerCount(handoverSignal)).toBe(0)
      expect(asked).toBe(1)
    },
  )

  test('writes where the process does, as wide as its terminal says, or 80 columns', () => {
    const [isTTY, columns] = ['isTTY', 'columns'].map((name) => Object.getOwnPropertyDescriptor(process.stdout, name))
    try {
      for (const [value, width, expected] of [
        [true, 123, 123],
        [false, 0, 80],
        [undefined, undefined, 80],
      ] as const) {
        Object.defineProperty(process.stdout, 'isTTY', { value, configurable: true })
        Object.defineProperty(process.stdout, 'columns', { value: width, configurable: true })
        expect(processShell().output).toMatchObject({ isTerminal: value === true, columns: expected })
      }
    } finally {
      for (const [name, was] of [
        ['isTTY', isTTY],
        ['columns', columns],
      ] as const) {
        if (was) Object.defineProperty(process.stdout, name, was)
        else Reflect.deleteProperty(process.stdout, name)
      }
    }
  })
})
