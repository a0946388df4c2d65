import { expect, test } from 'bun:test'
import { interruption } from '../../../src/runtime/shell/shell.ts'
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
  clock.now += 1000
  shell.send('SIGINT')
  expect(stop.again.aborted).toBe(true)
})

test('after the end the shell no longer listens for signals', () => {
  const { shell, stop } = interrupted()
  stop.end()
  shell.send('SIGINT')
  expect(stop.first.aborted).toBe(false)
})
