import { toUpstreamError, type UpstreamError } from '@csp/messages-api/upstream-error'
import type { UpstreamContext } from '../upstream.ts'

/**
 * One call of a server: lazy, and over when its iterator has settled. The items are the events of a reply, or a single
 * response, behind which the iterator continues until the response's body has ended.
 */
export type Call<Item> = (context: UpstreamContext) => AsyncIterable<Item>

/** Something around each call of a server, whatever its items are. */
export type CallLayer = <Item>(inner: Call<Item>) => Call<Item>

/** Passes items on. Returns the failure of a call that fails before the first of them; throws a later one. */
export async function* beginOrFail<Item>(
  items: AsyncIterable<Item>,
): AsyncGenerator<Item, UpstreamError | undefined, undefined> {
  let hasBegun = false
  try {
    for await (const item of items) {
      hasBegun = true
      yield item
    }
    return undefined
  } catch (error) {
    const failure = toUpstreamError(error)
    if (hasBegun) throw failure
    return failure
  }
}
