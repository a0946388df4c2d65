import { expect, test } from 'bun:test'
import { placeAfter } from '../../../../src/runtime/cli/restart/restart.ts'

const old = (port: number, ...flags: string[]) => ({ port, flags })

test.each([
  ['none', undefined, [], 7777, [], false],
  ['none, with flags', undefined, ['--model=opus'], 7777, ['--model=opus'], false],
  ['one by the settings', old(7777), [], 7777, [], true],
  ['one whose settings have another port now', old(7777, '--model=opus'), [], 8888, ['--model=opus'], false],
  ['one with a port of its own', old(9999, '--port=9999', '-v'), [], 7777, ['-v', '--port=9999'], true],
  ['one that chose its port by a flag', old(9999, '--port=0'), [], 7777, ['--port=9999'], true],
  ['one that chose its port by the settings', old(9999, '-v'), [], 0, ['-v', '--port=9999'], true],
  ['one with flags, and others are given', old(9999, '--port=9999'), ['--model=opus'], 7777, ['--model=opus'], false],
  ['one on the port that is given', old(7777, '-v'), ['--model=opus'], 7777, ['--model=opus'], true],
])(
  'in the place of %s comes one with its flags, or with those that are given',
  (_, before, given, port, flags, isSamePort) => {
    expect(placeAfter(before, given, port)).toEqual({ flags, isSamePort })
  },
)
