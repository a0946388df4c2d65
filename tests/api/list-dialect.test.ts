import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { listDialect } from '../../src/api/list-dialect.ts'
import { collect } from '../../src/domain/answer.ts'
import { defaultModels } from '../../src/domain/model.ts'
import { found } from '../support/scripted-executor.ts'

const schema = z.object({
  rows: z.number().optional(),
  page: z.number().optional(),
  offset: z.number().optional(),
  none: z.boolean().optional(),
})

const dialect = listDialect({
  schema,
  reference: { example: {} },
  pageSize: 4,
  page: ({ rows, page, offset }) => ({ rows, page, offset }),
  request: ({ none }) => (none ? [] : { query: 'bees' }),
  reply: (rows, { count, offset, estimatedTotal }) => [rows.length, count, offset, estimatedTotal],
})

describe('the search of a list', () => {
  test.each([
    // Without a number it has no limit, since one search is enough.
    [{}, { limit: undefined, offset: undefined }],
    [{ rows: 3 }, { limit: 3, offset: undefined }],
    [{ page: 3 }, { limit: undefined, offset: 8 }],
    [
      { rows: 3, page: 3 },
      { limit: 3, offset: 6 },
    ],
    [
      { rows: 3, offset: 5 },
      { limit: 3, offset: 5 },
    ],
    // Who shows no rows is searched for all the same.
    [{ rows: 0 }, { limit: undefined, offset: undefined }],
  ])('of %p has %p', (input, expected) => {
    expect(dialect.parse(input, defaultModels)).toMatchObject([{ query: 'bees', want: 'results', ...expected }])
  })

  test('is none where the dialect asks for nothing', () => {
    expect(dialect.parse({ none: true }, defaultModels)).toEqual([])
  })
})

test.each([
  // All six of a first page of four; one more may follow.
  [{}, [4, 4, 0, 5]],
  [{ rows: 2, page: 2 }, [2, 2, 2, 5]],
  // From half a page on, one more may follow; with fewer it is the last one.
  [{ rows: 12 }, [6, 12, 0, 7]],
  [{ rows: 20 }, [6, 20, 0, 6]],
  [{ rows: 0 }, [0, 0, 0, 0]],
])('the reply to %p says what it shows, and how many there are: %p', async (input, expected) => {
  const answer = await collect(events())
  expect(dialect.format(answer, replyTo(input))).toEqual(expected)
})

async function* events() {
  yield* found(6)
}

function replyTo(input: z.output<typeof schema>) {
  return { id: 'id-1', createdAt: new Date(0), elapsedMs: () => 0, input }
}
