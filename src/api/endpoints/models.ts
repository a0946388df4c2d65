import type { Handler } from 'hono'
import { chooseModel, type ModelMap } from '../../domain/model.ts'
import type { AppEnvironment } from '../http/exchange.ts'
import { jsonReply } from '../http/json-reply.ts'
import { unknownModel } from '../http/refusal.ts'

export interface ModelRoutes {
  readonly list: Handler<AppEnvironment>
  /** Reads the parameter `id`, which may hold slashes. */
  readonly one: Handler<AppEnvironment>
}

/** The models by name, in one shape with the fields of both OpenAI and Anthropic. */
export function modelRoutes(models: () => ModelMap, since: Date): ModelRoutes {
  return routesOf(
    models,
    (id, known) => formatModel(id, known, since),
    (data) => {
      const [first_id = null, last_id = null] = [data.at(0)?.id, data.at(-1)?.id]
      return { object: 'list', data, has_more: false, first_id, last_id }
    },
  )
}

/** The same in Google's shape, as its clients list them. */
export function geminiModelRoutes(models: () => ModelMap): ModelRoutes {
  return routesOf(models, formatGeminiModel, (listed) => ({ models: listed }))
}

function routesOf<Model>(
  models: () => ModelMap,
  format: (id: string, known: ModelMap) => Model,
  formatList: (models: readonly Model[]) => object,
): ModelRoutes {
  return {
    list: (context) => {
      const known = models()
      const ids = Object.keys(known).filter((id) => !id.includes('*'))
      return jsonReply(context, formatList(ids.map((id) => format(id, known))))
    },
    one: (context) => {
      const id = context.req.param('id') ?? ''
      const known = models()
      // Also a name that the list does not have, such as a full Claude model name.
      if (!chooseModel(id, known)) throw unknownModel(id)
      return jsonReply(context, format(id, known))
    },
  }
}

/** A model in Google's shape. */
export function formatGeminiModel(id: string) {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '1',
    displayName: id,
    description: 'claude-search-proxy',
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}

/** A model in that of the others. */
export function formatModel(id: string, models: ModelMap, since: Date) {
  const offered = Object.hasOwn(models, id) ? models[id]?.offered : undefined
  return {
    id,
    object: 'model',
    created: Math.floor(since.getTime() / 1000),
    owned_by: 'claude-search-proxy',
    type: 'model',
    display_name: offered?.name === id ? offered.title : id,
    ...(offered && { resolves_to: offered.fullName }),
    created_at: since.toISOString(),
  }
}
