import type { Handler, Hono } from 'hono'
import type { ModelMap } from '../domain/model.ts'
import { geminiBases, isGoogleClient } from './dialects/gemini/vendor.ts'
import { azureBases } from './dialects/openai/vendor.ts'
import { geminiModelRoutes, modelRoutes } from './endpoints/models.ts'
import type { AppEnvironment } from './http/exchange.ts'
import { mount } from './mount.ts'

/** Mounts the lists of models: Google's paths have Google's shape, the others have it for Google's clients. */
export function mountModels(
  app: Hono<AppEnvironment>,
  models: () => ModelMap,
  since: Date,
  prefixes: readonly string[],
): void {
  const common = modelRoutes(models, since)
  const google = geminiModelRoutes(models)
  for (const base of geminiBases) mountAt(base, google.list, google.one)
  for (const prefix of [...prefixes, ...azureBases])
    mountAt(prefix, either(common.list, google.list), either(common.one, google.one))

  function mountAt(base: string, list: Handler<AppEnvironment>, one: Handler<AppEnvironment>): void {
    mount(app, `${base}/models`, { GET: list, HEAD: list })
    mount(app, `${base}/models/:id{.+}`, { GET: one, HEAD: one })
  }
}

function either(common: Handler<AppEnvironment>, google: Handler<AppEnvironment>): Handler<AppEnvironment> {
  return (context, next) => (isGoogleClient(context.req.raw.headers) ? google : common)(context, next)
}
