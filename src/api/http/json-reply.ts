import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnvironment } from '../exchange/exchange.ts'

/** A reply of JSON. It ends its line, since a terminal shows what curl prints. */
export function jsonReply(
  context: Context<AppEnvironment>,
  body: unknown,
  status: ContentfulStatusCode = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return context.body(`${JSON.stringify(body)}\n`, status, { 'content-type': 'application/json', ...headers })
}
