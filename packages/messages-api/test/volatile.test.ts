import { expect, test } from 'bun:test'
import type { MessagesRequest } from '../src/request.ts'
import { withoutVolatileText } from '../src/volatile.ts'

const billing = 'x-anthropic-billing-header: cc_version=2.1.328.abc; cc_entrypoint=cli; cch=1f2e3;'
const left = (tokens: number) => `<total_tokens>${tokens} tokens left</total_tokens>`

function result(content: unknown) {
  return { type: 'tool_result', tool_use_id: 'a', ...(content !== undefined && { content }) }
}

/** A turn as Claude Code sends it: line and countdown differ each time. */
function turn(tokens: number, cch: string): MessagesRequest {
  return {
    model: 'm',
    system: [
      { type: 'text', text: billing.replace('1f2e3', cch) },
      { type: 'text', text: `You are Claude Code.\n\n${left(tokens)}`, cache_control: { type: 'ephemeral' } },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: left(tokens) },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'b' },
              { type: 'text', text: left(tokens) },
            ],
          },
          { type: 'text', text: `<system-reminder>\n${left(tokens)}\n</system-reminder>` },
        ],
      },
    ],
  }
}

test('Two turns that differ in billing line and countdown are the same to the provider', () => {
  const one = withoutVolatileText(turn(100, 'aaaa'))
  expect(one).toEqual(withoutVolatileText(turn(99, 'bbbb')))
  expect(JSON.stringify(one)).not.toMatch(/billing|total_tokens/)
  expect(one.messages[0]?.content).toEqual([{ type: 'text', text: 'hi' }])
  expect(one.system).toEqual([{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }])
})

test('The line is taken out of a system prompt that is one string or one block', () => {
  const request: MessagesRequest = {
    model: 'm',
    system: `${billing}\nYou are.`,
    messages: [{ role: 'user', content: 'x' }],
  }
  expect(withoutVolatileText(request).system).toBe('You are.')
  const blocks = { ...request, system: [{ type: 'text', text: `${billing}\nYou are.` }] }
  expect(withoutVolatileText(blocks).system).toEqual([{ type: 'text', text: 'You are.' }])
})

test('Text that quotes either of them stays', () => {
  const content = `Why does \`${left(5)}\` stand there? And:\n> ${billing}`
  const request: MessagesRequest = { model: 'm', messages: [{ role: 'user', content }] }
  expect(withoutVolatileText(request).messages[0]?.content).toBe(content)
})

test.each([
  ['a system message that has nothing else', { role: 'system', content: `${billing}\n` }, []],
  [
    'a system message of blocks that have nothing else',
    { role: 'system', content: [{ type: 'text', text: billing }] },
    [],
  ],
  ['an empty system message, which stays', { role: 'system', content: '' }, ['']],
  ['a system message', { role: 'system', content: `${billing}\nBe brief.\n${left(5)}` }, ['Be brief.']],
  ['what the model said, which stays', { role: 'assistant', content: left(5) }, [left(5)]],
  ['what a user said', { role: 'user', content: `Hi.\n${left(5)}` }, ['Hi.']],
  ['a result in one text', { role: 'user', content: [result(`x\n${left(5)}`)] }, [[result('x')]]],
  ['a result without content', { role: 'user', content: [result(undefined)] }, [[result(undefined)]]],
  ['an image', { role: 'user', content: [{ type: 'image', text: left(5) }] }, [[{ type: 'image', text: left(5) }]]],
  [
    'an empty text, which stays',
    { role: 'user', content: [{ type: 'text', text: '' }] },
    [[{ type: 'text', text: '' }]],
  ],
  [
    'a text of which something is left',
    { role: 'user', content: [{ type: 'text', text: `x\n${left(5)}` }] },
    [[{ type: 'text', text: 'x' }]],
  ],
] as const)('The volatile text is taken out of %s', (_, message, contents) => {
  const { messages } = withoutVolatileText({ model: 'm', messages: [message] } as unknown as MessagesRequest)
  expect<unknown>(messages.map(({ content }) => content)).toEqual(contents)
})

test('A system prompt keeps its empty blocks and those that are no text', () => {
  const system = [{ type: 'text', text: '' }, { type: 'image' }]
  expect(withoutVolatileText({ model: 'm', system, messages: [] }).system).toEqual(system)
  expect(withoutVolatileText({ model: 'm', messages: [] })).toEqual({ model: 'm', messages: [] })
})
