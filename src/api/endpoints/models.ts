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
export function modelRoutes(models: ModelMap, since: Date): ModelRoutes {
  const ids = Object.keys(models).filter((id) => !id.includes('*'))
  return {
    list: (context) =>
      jsonReply(context, {
        object: 'list',
        data: ids.map((id) => formatModel(id, since)),
        has_more: false,
        first_id: ids.at(0) ?? null,
        last_id: ids.at(-1) ?? null,
      }),
    one: (context) => {
      const id = context.req.param('id') ?? ''
      // Also a name that the list does not have, such as a full Claude model name.
      if (!chooseModel(id, models)) throw unknownModel(id)
      return jsonReply(context, formatModel(id, since))
    },
  }
}

/** The same in Google's shape, as its clients list them. */
export function geminiModelRoutes(models: ModelMap): ModelRoutes {
  const ids = Object.keys(models).filter((id) => !id.includes('*'))
  return {
    list: (context) => jsonReply(context, { models: ids.map((id) => formatGeminiModel(id)) }),
    one: (context) => {
      const id = context.req.param('id') ?? ''
      if (!chooseModel(id, models)) throw unknownModel(id)
      return jsonReply(context, formatGeminiModel(id))
    },
  }
}

function formatGeminiModel(id: string) {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '1',
    displayName: id,
    description: 'claude-search-proxy',
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}

function formatModel(id: string, since: Date) {
  return {
    id,
    object: 'model',
    created: Math.floor(since.getTime() / 1000),
    owned_by: 'claude-search-proxy',
    type: 'model',
    display_name: id,
    created_at: since.toISOString(),
  }
}
