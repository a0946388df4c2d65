import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { foldContent } from '../../../../src/api/dialects/anthropic/content.ts'
import { ContentWriter } from '../../../../src/api/dialects/anthropic/content-writer.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'

const start = (id: string): SearchEvent => ({ type: 'tool-call-start', id, name: id })
const delta = (id: string, text: string): SearchEvent => ({ type: 'tool-call-delta', id, arguments: text })
const text = (said: string): SearchEvent => ({ type: 'text-delta', text: said })

function write(events: readonly SearchEvent[]) {
  const writer = new ContentWriter({ id: 'x', oneToolCall: false })
  return [...events.flatMap((event) => [...writer.push(event)]), ...writer.end()]
}

test('tool calls that overlap become blocks that do not', () => {
  const steps = write([
    start('a'),
    delta('a', '{"n"'),
    start('b'),
    delta('b', '{"n":'),
    delta('a', ':1}'),
    text('More.'),
    delta('b', '2}'),
    text(' The end.'),
  ])
  expect(foldContent(steps)).toMatchObject([
    { type: 'tool_use', id: 'a', input: { n: 1 } },
    { type: 'tool_use', id: 'b', input: { n: 2 } },
    { type: 'text', text: 'More. The end.' },
  ])
})

test('the next tool call streams once the arguments of the one before are complete', () => {
  const writer = new ContentWriter({ id: 'x', oneToolCall: false })
  const steps = [start('a'), delta('a', '{}'), start('b')].flatMap((event) => [...writer.push(event)])
  expect(steps.map(({ type, index }) => [type, index])).toEqual([
    ['content_block_start', 0],
    ['content_block_delta', 0],
    ['content_block_stop', 0],
    ['content_block_start', 1],
  ])
})

test('no call is lost and no block overlaps, however calls and text are mixed', () => {
  const ids = ['a', 'b', 'c']
  const order = fc.shuffledSubarray(
    ids.flatMap((id) => [id, id, id, 'text']),
    { minLength: 12 },
  )
  const property = fc.property(order, (turns) => {
    const script = new Map(ids.map((id) => [id, [start(id), delta(id, '{"n":"'), delta(id, `${id}"}`)]]))
    let texts = 0
    const steps = write(turns.map((turn) => script.get(turn)?.shift() ?? text(`${++texts}`)))
    let open: number | undefined
    for (const { type, index } of steps) {
      if (type === 'content_block_start') {
        expect(open).toBeUndefined()
        open = index
      }
      expect(open).toBe(index)
      if (type === 'content_block_stop') open = undefined
    }
    const content = foldContent(steps)
    const said = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
    const inputs = content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []))
    expect(said).toBe('123')
    expect(new Set(inputs)).toEqual(new Set(ids.map((n) => ({ n }))))
  })
  fc.assert(property, { numRuns: runs(500) })
})
