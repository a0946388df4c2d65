import { countVerdicts } from '@csp/evidence/evidence'
import { z } from 'zod'
import type { OwnedReceipt } from '../../../domain/receipt.ts'
import { Refusal } from '../../exchange/refusal.ts'
import { integerField, optional } from '../../fields/field.ts'
import { jsonReply } from '../../http/json-reply.ts'
import { type OwnEndpoint, validQuery } from '../own-endpoint.ts'
import { receiptHtml, receiptHtmlPolicy } from './html.ts'
import { receiptMarkdown } from './markdown.ts'

const schema = z.object({ format: optional(z.enum(['json', 'markdown', 'html'])) })

/**
 * Returns the receipt of a written answer as JSON, or in another `?format=`. Reads the parameter `id`. A caller with a key
 * gets its own alone; that of another is not there.
 */
export const receiptOf: OwnEndpoint = {
  reference: {
    summary: 'What a written answer rested on: its sentences with their verdicts, its sources with their texts',
    reply: {
      object: 'receipt',
      id: '5f0c1e2d3b4a59687786958493a2b1c0',
      time: '2026-11-20T10:00:00.000Z',
      question: 'how do bees show the way?',
      model: 'claude-sonnet-4-5',
      strategy: 'standard',
      answer: 'Bees dance. [1]',
      sentences: [{ sentence: 'Bees dance.', start: 0, end: 11, verdict: 'found', score: 1, sources: [1] }],
      sources: [
        { number: 1, url: 'https://example.com/bees', title: 'Bees', passages: ['Bees dance.'], text: 'Bees dance.' },
      ],
    },
    status: { 404: 'There is no such receipt for this key.' },
    query: schema,
  },
  mount(app, paths, { receipts }) {
    app.on('GET', paths, validQuery(schema), async (context) => {
      const { format } = context.req.valid('query')
      const { key } = context.get('exchange')
      const name = key?.isLocal ? undefined : key?.name
      const found = await receipts?.read(context.req.param('id') ?? '')
      const receipt = found && (name === undefined || found.owner === name) ? found : undefined
      if (!receipts) throw new Refusal('not-found', 'This server keeps no receipts.')
      if (!receipt) throw new Refusal('not-found', 'There is no such receipt; it may have been deleted.')
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
    })
  },
}

const listSchema = z.object({
  limit: optional(integerField(1, 100)),
  after: optional(z.string().regex(/^[0-9a-f]{32}$/, 'Must be the id of a receipt')),
})

/**
 * Lists the caller's receipts, the newest first, `limit` at a time (20); `after=NEXT` goes on. Without a key, and for
 * programs of the user who runs this csp, those of all callers.
 */
export const receiptList: OwnEndpoint = {
  reference: {
    summary: 'The caller’s receipts, the newest first',
    reply: {
      object: 'list',
      data: [
        {
          id: '5f0c1e2d3b4a59687786958493a2b1c0',
          time: '2026-11-20T10:00:00.000Z',
          question: 'how do bees show the way?',
          model: 'claude-sonnet-4-5',
          strategy: 'standard',
          verdicts: { found: 1, partly: 0, 'not-found': 0, 'not-read': 0 },
        },
      ],
      has_more: false,
      next: null,
    },
    query: listSchema,
  },
  mount(app, paths, { receipts }) {
    app.on('GET', paths, validQuery(listSchema), async (context) => {
      const { limit = 20, after } = context.req.valid('query')
      const { key } = context.get('exchange')
      const owner = key?.isLocal ? undefined : key?.name
      const { receipts: found = [], next = null } = (await receipts?.list({ limit, after, owner })) ?? {}
      return jsonReply(context, { object: 'list', data: found.map(receiptRow), has_more: next !== null, next })
    })
  },
}

/** What a list says of a receipt. */
export function receiptRow({ id, time, question, model, strategy, sentences }: OwnedReceipt) {
  const verdicts = countVerdicts(sentences)
  return { id, time, question: question.slice(0, maxQuestion), model, strategy, verdicts }
}

const maxQuestion = 300

/** A receipt without the account that it belongs to. */
export function receiptJson({ owner: _, ...receipt }: OwnedReceipt) {
  return { object: 'receipt', ...receipt }
}
