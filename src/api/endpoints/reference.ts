import { addressOf } from '../http/proxied.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

// The reference of the routes, for anybody: it is the same for every csp. Nothing of it is made or loaded before the
// first request for it. Only finished texts are kept: on the edge, a promise of one request cannot be awaited by another.

/** The OpenAPI document. */
export const openapi: OwnEndpoint = {
  reference: {
    summary: 'This document',
    isOpen: true,
    reply: { openapi: '3.1.1', info: {}, paths: {} },
  },
  mount(app, paths, { document }) {
    let json: string | undefined
    app.on('GET', paths, async (context) => {
      // Requests at the same time may each make one: the first stands.
      const made = json ?? `${JSON.stringify(await document())}\n`
      json ??= made
      return context.body(json, 200, { 'content-type': 'application/json' })
    })
  },
}

/** The same in a page's worth of text. */
export const llms: OwnEndpoint = {
  reference: {
    summary: 'What an agent needs to know of csp',
    isOpen: true,
    reply: 'text/plain',
  },
  mount(app, paths, { llms }) {
    app.on('GET', paths, async (context) => {
      const text = await llms(addressOf(context.req.raw))
      return context.body(text, 200, { 'content-type': 'text/plain; charset=utf-8' })
    })
  },
}
