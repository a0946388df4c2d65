import type { Handler } from 'hono'
import { z } from 'zod'
import type { OwnedReceipt, Receipts } from '../../../domain/receipt.ts'
import { optional } from '../../fields/field.ts'
import type { CheckKey } from '../../http/auth.ts'
import type { AppEnvironment } from '../../http/exchange.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { Refusal } from '../../http/refusal.ts'
import { validate } from '../../http/validate.ts'
import { receiptHtml, receiptHtmlPolicy } from './html.ts'
import { receiptMarkdown } from './markdown.ts'

export interface ReceiptsOptions {
  /** Absent where none are kept: on the edge and in the library. */
  readonly receipts: Pick<Receipts, 'read'> | undefined
  readonly checkKey: CheckKey
}

const schema = z.object({ format: optional(z.enum(['json', 'markdown', 'html'])) })

/**
 * Returns the receipt of a written answer as JSON, or in another `?format=`. Reads the parameter `id`. A caller with a key
 * gets its own alone; that of another is not there.
 */
export function receiptOf({ receipts, checkKey }: ReceiptsOptions): Handler<AppEnvironment> {
  return async (context) => {
    const { format } = validate(schema, { format: context.req.query('format') })
    const { key } = await checkKey(context.req.raw.headers)
    const name = key?.isLocal ? undefined : key?.name
    const found = await receipts?.read(context.req.param('id') ?? '')
    const receipt = found && (name === undefined || found.owner === name) ? found : undefined
    if (!receipts) throw new Refusal('not-found', 'This server keeps no receipts.')
    if (!receipt) throw new Refusal('not-found', 'There is no such receipt, or not any more.')
    if (format === 'markdown') {
      return context.body(receiptMarkdown(receipt), 200, { 'content-type': 'text/markdown; charset=utf-8' })
    }
    if (format !== 'html') return jsonReply(context, receiptJson(receipt))
    return context.body(await receiptHtml(receipt), 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${await receiptHtmlPolicy()}; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  }
}

/** A receipt without the account that it belongs to. */
export function receiptJson({ owner: _, ...receipt }: OwnedReceipt) {
  return { object: 'receipt', ...receipt }
}
