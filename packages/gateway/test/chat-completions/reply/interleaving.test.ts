import { expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import { assembleWithSdk } from '@csp/testing/sdk-message'
import fc from 'fast-check'
import { expectMessageOrder } from '../../support/message-order.ts'
import { exchange, streamOf } from '../../support/provider-stream.ts'
import { chunk, toolChunk } from '../../support/strict-provider.ts'

const words = anyText({ maxLength: 20 })
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
const reply = fc.record({
  thought: fc.option(words),
  form: fc.constantFrom('reasoning', 'reasoning_content', 'reasoning_details', 'both'),
  text: fc.option(words),
  calls: fc.array(fc.record({ input, space: fc.constantFrom('', ' ', '\n') }), { maxLength: 3 }),
})
type Reply = typeof reply extends fc.Arbitrary<infer Value> ? Value : never

/** Numbers that stand for every choice of the stream: where it is cut, and what comes next. */
const choices = fc.infiniteStream(fc.nat(1000))
const framing = fc.record({
  end: fc.constantFrom('\n', '\r\n'),
  space: fc.constantFrom('', ' '),
  comments: fc.boolean(),
  cuts: fc.array(fc.nat(5000), { maxLength: 30 }),
})

test("Any interleaving, cut at any byte, is the message of a whole reply to the vendor's own client", async () => {
  await fc.assert(
    fc.asyncProperty(reply, choices, framing, async (wanted, numbers, frames) => {
      const next = () => numbers.next().value ?? 0
      const pieces = [
        ...split(wanted.thought ?? '', next).map((piece) => chunk(thoughtOf(wanted.form, piece))),
        ...split(wanted.text ?? '', next).map((content) => chunk({ content })),
        ...interleaved(callPieces(wanted, next), next),
      ]
      const streamed = await exchange(toStream(pieces, frames))
      expectMessageOrder(streamed.events)
      const plain = JSON.parse(JSON.stringify(streamed.message))
      expect(await assembleWithSdk(streamed.events)).toMatchObject(plain)
      const whole = await exchange(Response.json(wholeOf(wanted)))
      expect(streamed.message.content).toEqual(whole.message.content)
      expect({ ...streamed.message, id: '' }).toEqual({ ...whole.message, id: '' })
    }),
    { numRuns: runs(150) },
  )
})

test('In any order at all the blocks are proper, and no word and no call is lost', async () => {
  await fc.assert(
    fc.asyncProperty(reply, choices, framing, async (wanted, numbers, frames) => {
      const next = () => numbers.next().value ?? 0
      const pieces = interleaved(
        [
          split(wanted.thought ?? '', next).map((piece) => chunk(thoughtOf(wanted.form, piece))),
          split(wanted.text ?? '', next).map((content) => chunk({ content })),
          ...callPieces(wanted, next),
        ],
        next,
      )
      const { events, message } = await exchange(toStream(pieces, frames))
      expectMessageOrder(events)
      expect(await assembleWithSdk(events)).toMatchObject(JSON.parse(JSON.stringify(message)))
      const all = (type: string, field: string) =>
        message.content.flatMap((block) => (block.type === type ? [block[field]] : []))
      expect(all('thinking', 'thinking').join('')).toBe(wanted.thought ?? '')
      // A blank text between two calls is no block.
      const words = (text: string) => text.replace(/\s+/g, '')
      expect(words(all('text', 'text').join(''))).toBe(words(wanted.text ?? ''))
      const ids = all('tool_use', 'id')
      expect(ids.toSorted()).toEqual(wanted.calls.map((_, index) => `call_${index}`))
      const inputs = new Map(ids.map((id, index) => [id, all('tool_use', 'input')[index]]))
      for (const [index, call] of wanted.calls.entries()) {
        expect(inputs.get(`call_${index}`)).toEqual(JSON.parse(JSON.stringify(call.input)))
      }
    }),
    { numRuns: runs(150) },
  )
})

function thoughtOf(form: Reply['form'], piece: string): object {
  const details = [{ type: 'reasoning.text', text: piece, index: 0 }]
  if (form === 'both') return { reasoning: piece, reasoning_details: details }
  return form === 'reasoning_details' ? { reasoning_details: details } : { [form]: piece }
}

function callPieces({ calls }: Reply, next: () => number): readonly (readonly ReturnType<typeof chunk>[])[] {
  return calls.map(({ input, space }, index) => {
    const [first = '', ...rest] = split(JSON.stringify(input) + space, next)
    const known = { id: `call_${index}`, name: `tool_${index}` }
    // Sometimes the arguments begin before the name is known.
    const isLate = next() % 3 === 0
    const head = isLate ? { id: known.id, json: first } : { ...known, json: first }
    const late = isLate ? [toolChunk(index, { name: known.name, json: '' })] : []
    return [toolChunk(index, head), ...late, ...rest.map((json) => toolChunk(index, { json }))]
  })
}

/** A text in pieces that are not empty. */
function split(text: string, next: () => number): string[] {
  const units = [...text]
  const pieces: string[] = []
  for (let place = 0; place < units.length; ) {
    const length = 1 + (next() % 6)
    pieces.push(units.slice(place, place + length).join(''))
    place += length
  }
  return pieces
}

/** One of many orders in which each list keeps its own. Calls begin in their order, as those of a provider do. */
function interleaved<Item>(lists: readonly (readonly Item[])[], next: () => number): Item[] {
  const rest = lists.filter((list) => list.length > 0).map((list) => [...list])
  const order: Item[] = []
  const begun = new Set<Item[]>()
  while (rest.some((list) => list.length > 0)) {
    const unbegun = rest.find((list) => !begun.has(list))
    const open = rest.filter((list) => list.length > 0 && (begun.has(list) || list === unbegun))
    const list = open[next() % open.length]
    const item = list?.shift()
    if (!list || item === undefined) continue
    begun.add(list)
    order.push(item)
  }
  return order
}

const usage = { prompt_tokens: 20, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 5 } }

function toStream(
  pieces: readonly object[],
  { end, space, comments, cuts }: { end: string; space: string; comments: boolean; cuts: number[] },
) {
  const all = [...pieces, chunk({}, 'stop'), { choices: [], usage }].map((piece) => JSON.stringify(piece))
  const line = (data: string) => `${comments ? `: busy${end}` : ''}data:${space}${data}${end}${end}`
  return streamOf([...all, '[DONE]'].map(line).join(''), cuts)
}

function wholeOf({ thought, form, text, calls }: Reply): object {
  const tool_calls = calls.map(({ input, space }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: `tool_${index}`, arguments: JSON.stringify(input) + space },
  }))
  const message = { role: 'assistant', content: text, ...(thought && thoughtOf(form, thought)), tool_calls }
  return { choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
}
