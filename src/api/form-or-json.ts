import type { Handler } from 'hono'
import type { AppEnvironment } from './exchange.ts'
import { isForm, readBody, saysForm } from './read-input.ts'

export interface FormOrJson {
  /** Also for a query string without a body. */
  readonly form: Handler<AppEnvironment>
  readonly json: Handler<AppEnvironment>
}

/** Serves a path that two vendors share: the one's clients post forms there, the other's JSON. */
export function formOrJson({ form, json }: FormOrJson, maximumBodyBytes: number): Handler<AppEnvironment> {
  return async (context, next) => {
    const { raw } = context.req
    if (raw.body && !saysForm(raw)) return json(context, next)
    const bytes = await readBody(raw, maximumBodyBytes)
    const { method, headers, signal } = raw
    // A body can be read once only, and whoever answers has to read it too.
    context.req.raw = new Request(raw.url, { method, headers, signal, body: bytes })
    return (isForm(raw, bytes) ? form : json)(context, next)
  }
}
