import { attended } from '@csp/lib/attended'
import { accountOf } from '../../../domain/account.ts'
import type { Executor } from '../../executor.ts'
import { layer } from '../layer.ts'

/** Equal requests share an answer, but its receipt belongs to the caller that it was written for. */
export function ownReceipts(inner: Executor): Executor {
  return layer(inner, {
    search: (request, context) =>
      attended(() => ({
        items: inner.search(request, context),
        instead(event) {
          if (event.type !== 'done' || !event.receipt) return [event]
          const { receipt, ...rest } = event
          return [receipt.owner === accountOf(context.caller) ? event : rest]
        },
      })),
  })
}
