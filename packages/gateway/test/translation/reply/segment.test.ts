import { expect, test } from 'bun:test'
import { ToolSegment } from '../../../src/translation/reply/segment.ts'

test('what comes behind the end of the arguments of a call is not part of them', () => {
  const segment = new ToolSegment()
  const push = (json: string) => segment.push({ id: 'a', name: 'read', json })
  for (const json of ['{"path":', '"a"}', '{"path":"b"}', 'x']) push(json)
  expect([segment.json, segment.hasAllArguments]).toEqual(['{"path":"a"}', true])
})

test.each([
  ['{"a":"\\"}{"}', '{"a":"\\"}{"}'],
  ['{"a":"\\\\"} then', '{"a":"\\\\"}'],
  ['{"a":[{"b":"]}"}]}{"c":1}', '{"a":[{"b":"]}"}]}'],
  ['["a","b"] x', '["a","b"]'],
])('the arguments %s end where their object does, however they are cut', (json, whole) => {
  for (let cut = 1; cut < json.length; cut++) {
    const segment = new ToolSegment()
    for (const piece of [json.slice(0, cut), json.slice(cut)]) segment.push({ id: 'a', name: 'read', json: piece })
    expect([segment.hasAllArguments, segment.json.startsWith(whole)]).toEqual([true, true])
  }
})

test.each([
  ['null', '{}'],
  ['"null"', '{}'],
  ['"{\\"path\\":\\"a\\"}"', '{"path":"a"}'],
  ['"{\\"path\\":\\"a\nb\\"}"', '{"path":"a\\nb"}'],
  ['[1]', '{"INVALID_JSON":"[1]"}'],
])('the arguments %j go out as %s', (json, sent) => {
  const segment = new ToolSegment()
  segment.push({ id: 'a', name: 'read', json })
  segment.finish(() => 'b')
  expect(segment.take()).toEqual([{ type: 'input_json_delta', partial_json: sent }])
})
