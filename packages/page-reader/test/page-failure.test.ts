import { expect, test } from 'bun:test'
import { PageError } from '../src/page-error.ts'
import { toPageError } from '../src/page-failure.ts'

const busy = new PageError('busy', 'Too many.')
const late = new DOMException('late', 'TimeoutError')
const odd = Object.assign(new Error('odd'), { name: 'Odd' })

test.each([
  ['an error of a page', busy, undefined, 'busy', undefined],
  ['another error', odd, undefined, 'failed', odd],
  ['the end of the time', busy, late, 'timeout', late],
  ['another kind of abort', busy, odd, 'cancelled', odd],
  ['an abort with words alone', busy, 'left', 'cancelled', 'left'],
  [
    'an abort with what is named like the end of the time',
    busy,
    { name: 'TimeoutError' },
    'cancelled',
    { name: 'TimeoutError' },
  ],
  ['an abort with an error of a page', odd, busy, 'busy', undefined],
] as const)('%s is an error of a page', (_, error, reason, code, cause) => {
  const signal = reason === undefined ? new AbortController().signal : AbortSignal.abort(reason)
  const made = toPageError(error, signal)
  expect(made).toBeInstanceOf(PageError)
  expect(made).toMatchObject({ code })
  expect(made.cause).toEqual(cause)
})
