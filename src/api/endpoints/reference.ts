import { shared } from '@csp/lib/shared'
import { addressOf } from '../http/proxied.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

// The reference of the routes, for anybody: it is the same for every csp. Nothing of it is made or loaded before the
// first request for it, and then once for all who ask: nobody needs a key to ask for it.

/** The OpenAPI document. */
export const openapi: OwnEndpoint = {
  reference: {
    summary: 'This document',
    isOpen: true,
    reply: { openapi: '3.1.1', info: {}, paths: {} },
  },
  mount(app, paths, { document }) {
    // As bytes, which no reply has to encode again.
    const bytes = shared(async () => new TextEncoder().encode(`${await document()}\n`))
    app.on('GET', paths, async (context) => context.body(await bytes(), 200, { 'content-type': 'application/json' }))
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
    const pattern = shared(() => llms(addressMark))
    app.on('GET', paths, async (context) => {
      const address = addressOf(context.req.raw)
      const text = (await pattern()).replaceAll(addressMark, () => address)
      return context.body(text, 200, { 'content-type': 'text/plain; charset=utf-8' })
    })
  },
}

/** Stands for the address of a csp in a text that is made once for all addresses. */
const addressMark = '{address}'
