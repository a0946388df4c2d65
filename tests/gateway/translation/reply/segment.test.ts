import { expect, test } from 'bun:test'
import { ToolSegment } from '../../../../src/gateway/translation/reply/segment.ts'

test('what comes behind the end of the arguments of a call is not part of them', () => {
  const segment = new ToolSegment()
  const push = (json: string) => segment.push({ id: 'a', name: 'read', json })
  for (const json of ['{"path":', '"a"}', '{"path":"b"}', 'x']) push(json)
  expect([segment.json, segment.hasAllArguments]).toEqual(['{"path":"a"}', true])
})
