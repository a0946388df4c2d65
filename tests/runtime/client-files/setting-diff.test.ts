import { expect, test } from 'bun:test'
import { settingDiff } from '../../../src/runtime/client-files/setting-diff.ts'

test('a difference has a line for each value, before and after, and none for what stays', () => {
  const before = { a: { b: 1, same: [1, 2] }, list: [{ name: 'x' }, 'y'], gone: {}, texts: ['p'] }
  const after = { a: { b: 2, same: [1, 2] }, list: [{ name: 'z' }, 'y'], empty: {}, texts: ['p', 'q'] }
  expect(settingDiff(before, after).split('\n')).toEqual([
    ...['- a.b: 1', '+ a.b: 2', '- list[0].name: "x"', '+ list[0].name: "z"', '- gone: {}'],
    ...['- texts: ["p"]', '+ texts: ["p","q"]', '+ empty: {}', ''],
  ])
  expect(settingDiff(before, structuredClone(before))).toBe('')
  expect(settingDiff({}, {})).toBe('')
})

test('keys, tokens, passwords and headers with them are hidden, but not the placeholder of a csp without keys', () => {
  const secret = { apiKey: 's', ACCESS_TOKEN: 's', client_secret: 's', password: 's', headers: { Authorization: 's' } }
  const said = settingDiff({ apiKey: 'old' }, { ...secret, tokens: 3, list: [{ key: 's' }] })
  expect(said.replaceAll('(hidden)', '').match(/: $/gm)).toHaveLength(7)
  expect(said).not.toContain('"s"')
  expect(said).toContain('+ tokens: 3\n')
  expect(settingDiff({}, { apiKey: 'local' })).toBe('+ apiKey: "local"\n')
})
