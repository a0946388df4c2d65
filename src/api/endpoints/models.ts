import type { ListedModel } from '@csp/gateway/gateway'
import type { Context } from 'hono'
import { chooseModel, type ModelMap, namesIn } from '../../domain/model.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { unknownModel } from '../exchange/refusal.ts'
import { hasGoogleHeaders } from '../http/google-client.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'
import type { OwnParts } from './own-parts.ts'

/** Codex puts these in the place of its own. */
const codexInstructions =
  'You are a coding agent in the Codex CLI, working in the user’s folder with the tools you are offered. Work until the task is done: read before you change, change with small edits, run what checks the change. Answer briefly, and say what you did and what you could not do.'

const example = formatModel('sonar-pro', {}, new Date('2026-11-20T10:00:00Z'))
const geminiExample = formatGeminiModel('gemini-flash-latest')

/** The models by name, in one shape with the fields of both OpenAI and Anthropic; in Google's for Google's clients. */
export const modelList: OwnEndpoint = {
  reference: {
    summary: 'The names of models, in the shape of OpenAI and Anthropic at once, and in that of Codex',
    reply: {
      object: 'list',
      data: [example],
      models: [formatCodexModel('sonar-pro', {}, 0)],
      has_more: false,
      first_id: 'sonar-pro',
      last_id: 'sonar-pro',
    },
  },
  mount(app, paths, parts) {
    app.on('GET', paths, (context) =>
      jsonReply(context, isGoogleClient(context) ? googleList(parts) : commonList(parts)),
    )
  },
}

/** Also a model that the list does not have, such as a full Claude model name. */
export const oneModel: OwnEndpoint = {
  reference: {
    summary: 'One model',
    reply: example,
    status: { 404: 'There is no such model.' },
  },
  mount(app, paths, { models, startedAt, gateway }) {
    app.on('GET', paths, (context) => {
      const listed = gateway?.models.find(({ id }) => id === context.req.param('id'))
      if (listed) return jsonReply(context, formatListed(listed, startedAt))
      const id = knownId(context, models())
      return jsonReply(context, isGoogleClient(context) ? formatGeminiModel(id) : formatModel(id, models(), startedAt))
    })
  },
}

/** The same at the paths of Google alone. */
export const geminiModelList: OwnEndpoint = {
  reference: {
    summary: 'The names of models in Google’s shape',
    reply: { models: [geminiExample] },
  },
  mount(app, paths, parts) {
    app.on('GET', paths, (context) => jsonReply(context, googleList(parts)))
  },
}

export const oneGeminiModel: OwnEndpoint = {
  reference: {
    summary: 'One model in Google’s shape',
    reply: geminiExample,
    status: { 404: 'There is no such model.' },
  },
  mount(app, paths, { models }) {
    app.on('GET', paths, (context) => jsonReply(context, formatGeminiModel(knownId(context, models()))))
  },
}

function commonList(parts: OwnParts): object {
  const { models, startedAt, gateway } = parts
  const names = ownNames(parts)
  const own = names.map((id) => formatModel(id, models(), startedAt))
  const data = [...own, ...(gateway?.models ?? []).map((listed) => formatListed(listed, startedAt))]
  const ofUpstreams = (gateway?.models ?? []).filter(({ id }) => id.startsWith('anthropic/')).map(({ title }) => title)
  const catalogue = [...names, ...ofUpstreams].map((id, at) => formatCodexModel(id, models(), at))
  const [first_id = null, last_id = null] = [data.at(0)?.id, data.at(-1)?.id]
  return { object: 'list', data, models: catalogue, has_more: false, first_id, last_id }
}

function googleList(parts: OwnParts): object {
  return { models: ownNames(parts).map(formatGeminiModel) }
}

/** None where there is nothing to search with. */
function ownNames({ models, searches }: OwnParts): readonly string[] {
  return searches() ? namesIn(models()) : []
}

/** The parameter `id`, which may hold slashes. */
function knownId({ req }: Context<AppEnvironment>, models: ModelMap): string {
  const id = req.param('id') ?? ''
  if (!chooseModel(id, models)) throw unknownModel(id)
  return id
}

function isGoogleClient({ req }: Context<AppEnvironment>): boolean {
  return hasGoogleHeaders(req.raw.headers)
}

/** A model in Google's shape. */
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

/** A model of an upstream. */
function formatListed({ id, title, upstream }: ListedModel, since: Date) {
  return { ...formatModel(id, {}, since), owned_by: upstream, display_name: title }
}

/** A model in the catalogue of Codex, which reads none where one of these fields is missing. */
function formatCodexModel(id: string, models: ModelMap, priority: number) {
  return {
    slug: id,
    display_name: titleOf(id, models),
    description: 'claude-search-proxy',
    supported_reasoning_levels: [],
    shell_type: 'default',
    visibility: 'list',
    supported_in_api: true,
    priority,
    base_instructions: codexInstructions,
    support_verbosity: false,
    truncation_policy: { mode: 'tokens', limit: 10_000 },
    supports_parallel_tool_calls: true,
    context_window: 200_000,
    experimental_supported_tools: [],
  }
}

function titleOf(id: string, models: ModelMap): string {
  const offered = Object.hasOwn(models, id) ? models[id]?.offered : undefined
  return offered?.name === id ? offered.title : id
}

/** A model in that of the others. */
function formatModel(id: string, models: ModelMap, since: Date) {
  const offered = Object.hasOwn(models, id) ? models[id]?.offered : undefined
  return {
    id,
    object: 'model',
    created: Math.floor(since.getTime() / 1000),
    owned_by: 'claude-search-proxy',
    type: 'model',
    display_name: titleOf(id, models),
    ...(offered && { resolves_to: offered.fullName }),
    created_at: since.toISOString(),
  }
}
