import type { Handler } from 'hono'
import { type FrontPage, pageHeaders } from '../endpoints/front-page.ts'
import type { AppEnvironment } from '../http/exchange.ts'
import { addressOf } from '../http/proxied.ts'
import { Refusal } from '../http/refusal.ts'
import type { JsonObject } from './json-schema.ts'

export interface ReferenceHandlers {
  readonly json: Handler<AppEnvironment>
  readonly text: Handler<AppEnvironment>
  readonly page: Handler<AppEnvironment>
}

/**
 * Serves the reference of the routes, for anybody: it is the same for every csp. Nothing of it is made or loaded before
 * the first request for it.
 */
export function reference(page: (() => Promise<FrontPage>) | undefined): ReferenceHandlers {
  // Only the finished texts are kept: on the edge, a promise of one request cannot be awaited by another.
  let document: JsonObject | undefined
  let json: string | undefined
  let markup: string | undefined
  const read = async (): Promise<JsonObject> => {
    document ??= await (await import('./document.ts')).createDocument()
    return document
  }
  return {
    async json(context) {
      json ??= `${JSON.stringify(await read())}\n`
      return context.body(json, 200, { 'content-type': 'application/json' })
    },
    async text(context) {
      const { llmsText } = await import('./llms.ts')
      const text = llmsText(addressOf(context.req.raw))
      return context.body(text, 200, { 'content-type': 'text/plain; charset=utf-8' })
    },
    async page(context) {
      if (!page) throw new Refusal('not-found', `There is nothing at ${context.req.method} ${context.req.path}.`)
      markup ??= (await page()).reference(await read())
      return context.body(markup, 200, { ...pageHeaders, 'content-type': 'text/html; charset=utf-8' })
    },
  }
}
