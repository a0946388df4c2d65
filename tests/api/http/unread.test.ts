import { expect, test } from 'bun:test'
import { z } from 'zod'
import { unreadFields, withoutEffect } from '../../../src/api/http/unread.ts'

const inner = z.object({ known: z.string().optional() })
const schema = z.object({
  plain: z.string().optional(),
  nested: inner,
  optional: inner.optional(),
  nullable: inner.nullable(),
  caught: inner.catch({}),
  prepared: z.preprocess((value) => value, inner),
  changed: inner.transform(() => 1),
  oneOf: z.union([z.string(), inner]),
  twoOf: z.union([inner, z.object({ other: z.string() })]),
  open: z.looseObject({}),
  list: z.array(inner),
  effectless: withoutEffect(z.object({ known: z.string() }).optional()),
  off: withoutEffect(z.preprocess((value) => value === 'true', z.boolean())),
})

test.each([
  [{ plain: 'x', other: 1 }, ['other']],
  [{ nested: { known: 'x', other: 1 } }, ['nested.other']],
  [{ optional: { other: 1 } }, ['optional.other']],
  [{ nullable: { other: 1 } }, ['nullable.other']],
  [{ caught: { other: 1 } }, ['caught.other']],
  [{ prepared: { other: 1 } }, ['prepared.other']],
  [{ changed: { other: 1 } }, ['changed.other']],
  [{ oneOf: { other: 1 } }, ['oneOf.other']],
  // Which of two shapes was meant is not known.
  [{ twoOf: { another: 1 } }, []],
  [{ open: { other: 1 } }, []],
  [{ list: [{ other: 1 }] }, []],
  [{ nested: [1] }, []],
  [{ nested: 'text', plain: { other: 1 } }, []],
  [{ effectless: { known: 'x', other: 1 } }, ['effectless']],
  [{ off: 'true' }, ['off']],
  [{ off: 'false' }, []],
  [{ other: null, more: false, third: '', fourth: {}, fifth: [], sixth: undefined }, []],
  [
    { other: 0, ['x'.repeat(64)]: 1, ['x'.repeat(65)]: 1, 'a b': 1, toString: 1 },
    ['other', 'x'.repeat(64), 'toString'],
  ],
  [
    [{ other: 1 }, { plain: 'x', nested: { other: 1 } }],
    ['other', 'nested.other'],
  ],
  [null, []],
  ['text', []],
])('of %j without effect are %j', (sent, names) => {
  expect(unreadFields(schema, sent)).toEqual(names)
})

test('twenty fields without effect are named, and not more', () => {
  const sent = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`field${index}`, 1]))
  expect(unreadFields(schema, sent)).toEqual(Object.keys(sent).slice(0, 20))
})
