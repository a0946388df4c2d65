import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CallIds, providerCallId } from '../../src/translation/call-ids.ts'
import { BlockQueue } from '../../src/translation/reply/block-queue.ts'
import { TextSegment } from '../../src/translation/reply/segment.ts'

function idsAfter(...used: readonly string[]): CallIds {
  let last = 0
  const content = used.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} }))
  return new CallIds({ messages: [{ role: 'assistant', content }] }, () => `n${++last}`)
}

describe('The id of a call', () => {
  test('passes where clients take it, and no call of the conversation has it', () => {
    expect(idsAfter('call_1').toCaller('call_2')).toBe('call_2')
  })

  test.each([
    ['of an earlier turn', ['call_1'], 'call_1'],
    ['of a search of an earlier turn', ['srvtoolu_3_call_1'], 'call_1'],
    ['with other letters', [], 'functions.Bash:0'],
    ['of no letters at all', [], '✓'],
  ])('is another one for an id %s, and the provider gets its own back', (_name, used, id) => {
    const own = idsAfter(...used).toCaller(id)
    expect(own).not.toBe(id)
    expect(own).toMatch(/^[\w-]+$/)
    expect(providerCallId(own)).toBe(id)
  })

  test('counts as used by its result alone', () => {
    const messages = [{ role: 'user' as const, content: [{ type: 'tool_result', tool_use_id: 'call_1' }] }]
    expect(new CallIds({ messages }, () => 'n').toCaller('call_1')).not.toBe('call_1')
  })

  test('is made up where there is none, or one without an end', () => {
    expect(idsAfter().toCaller()).toBe('toolu_n1')
    expect(idsAfter().toCaller('a'.repeat(200))).toBe('a'.repeat(200))
    expect(idsAfter().toCaller('a'.repeat(201))).toBe('toolu_n1')
  })

  test('is never used twice, whatever the provider gives', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c:0', 'toolu_cspn1_61')), (given) => {
        const ids = idsAfter('a')
        const own = given.map((id) => ids.toCaller(id))
        expect(new Set(own).size).toBe(own.length)
        expect(own).not.toContain('a')
      }),
    )
  })
})

test('A reply has two thousand blocks at most', () => {
  const queue = new BlockQueue<TextSegment>()
  for (let blocks = 0; blocks < 2000; blocks++) queue.push(new TextSegment())
  expect(() => queue.push(new TextSegment())).toThrow('The provider sent more than 2000 blocks.')
})
