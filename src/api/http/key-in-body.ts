import type { MiddlewareHandler } from 'hono'
import { parseJson } from '../../lib/json.ts'
import { hasKey } from './auth.ts'
import { readBody, withBody } from './body.ts'
import type { AppEnvironment } from './exchange.ts'

/**
 * Lets a key that stands in a JSON body count as one in a header, for vendors whose older clients send it there.
 * A header goes first, and then the body is not looked at.
 */
export function keyInBody(field: string, maximumBytes: number): MiddlewareHandler<AppEnvironment> {
  return async (context, next) => {
    const { raw } = context.req
    if (!raw.body || hasKey(raw.headers)) return next()
    const body = await readBody(raw, maximumBytes)
    const headers = new Headers(raw.headers)
    const key = keyOf(body, field)
    if (key) headers.set('x-api-key', key)
    context.req.raw = withBody(raw, body, headers)
    return next()
  }
}

function keyOf(body: Uint8Array, field: string): string | undefined {
  const sent = parseJson(new TextDecoder().decode(body))
  const key: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, field) : undefined
  // What no header can hold is no key.
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? key : undefined
}
