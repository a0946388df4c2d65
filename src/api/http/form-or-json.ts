import type { Handler } from 'hono'
import { isForm, readBody, saysForm, withBody } from './body.ts'
import type { AppEnvironment } from './exchange.ts'

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
    context.req.raw = withBody(raw, bytes)
    return (isForm(raw, bytes) ? form : json)(context, next)
  }
}
