import { mayBeOllama } from '@csp/gateway/chat-completions/ollama'
import { isObject, parseJson } from '@csp/lib/json'
import { askUpstream, isListed, type ModelsReply, rootOf, type UpstreamPlace } from './upstream-models.ts'

/** What is known of a model before it is asked anything. */
export interface ModelFacts {
  /** The tokens that fit into its context where it is served; absent if nobody says. */
  readonly context?: number | undefined
  /** What it is said not to take. Where nobody says it, a model may take all. */
  readonly lacks: ReadonlySet<Ability>
}

/** In the order in which they are told. */
export const abilities = ['tools', 'images', 'thinking'] as const
export type Ability = (typeof abilities)[number]

/**
 * Asks a server for what it says of one of its models, at no cost: its list, and on this machine or network what Ollama,
 * llama.cpp and LM Studio say elsewhere. Never throws.
 */
export async function askFacts(
  place: UpstreamPlace,
  model: string,
  list: Pick<ModelsReply, 'entries'>,
): Promise<ModelFacts> {
  const listed = factsIn(entryOf(model, list.entries))
  if (listed.context !== undefined || !mayBeOllama(place.url)) return listed
  const own = await Promise.all([fromOllama(place, model), fromLlamaCpp(place), fromLmStudio(place, model)])
  return together([listed, ...own])
}

/** All that several say: the smallest context, and all that is lacking. */
export function together(all: readonly ModelFacts[]): ModelFacts {
  const contexts = all.flatMap(({ context }) => context ?? [])
  return {
    ...(contexts.length > 0 && { context: Math.min(...contexts) }),
    lacks: new Set(all.flatMap(({ lacks }) => [...lacks])),
  }
}

/** What csp has learned from errors of a model. */
export function learnedFacts(refused: readonly string[]): ModelFacts {
  const context = Math.min(...refused.flatMap((one) => /^context>(\d+)$/.exec(one)?.[1] ?? []).map(Number))
  const lacks = new Set(abilities.filter((ability) => refused.some((one) => signs[ability].test(one))))
  return { ...(Number.isFinite(context) && { context }), lacks }
}

/** How a refused feature is called that is one of these. */
const signs: Readonly<Record<Ability, RegExp>> = {
  tools: /^tools$/,
  images: /^images$/,
  thinking: /^(?:thinking|reasoning|reasoning_effort|reasoning\.effort)$/,
}

/** Where lists tell what fits into a context. The one of the endpoint that serves it stands before that of the model. */
// biome-ignore format: a line is a place.
const contextFields: readonly string[] = [
  'top_provider.context_length',          // OpenRouter
  'loaded_context_length',                // LM Studio
  'meta.n_ctx',                           // llama.cpp
  'max_model_len',                        // vLLM, SGLang
  'capabilities.limits.max_prompt_tokens', // GitHub Copilot
  'limits.max_input_tokens',              // GitHub Models
  'max_input_tokens',                     // Anthropic, LiteLLM
  'context_length',                       // OpenRouter, Moonshot, Together, Fireworks
  'context_window',                       // Groq, Vercel
  'max_context_length',                   // Mistral
  'context_size',                         // Novita
  'inputTokenLimit',                      // Gemini
  'metadata.context_length',              // DeepInfra
  'model_spec.availableContextTokens',    // Venice
]

function factsIn(entry: unknown): ModelFacts {
  const context = contextFields.map((path) => tokensAt(entry, path)).find((found) => found !== undefined)
  // OpenRouter's lists, and Mistral's switches.
  const inputs = valueAt(entry, 'architecture.input_modalities')
  const parameters = valueAt(entry, 'supported_parameters')
  const lacking: Readonly<Record<Ability, boolean>> = {
    tools: lacks(parameters, 'tools') || valueAt(entry, 'capabilities.function_calling') === false,
    images: lacks(inputs, 'image') || valueAt(entry, 'capabilities.vision') === false,
    thinking: lacks(parameters, 'reasoning'),
  }
  return { context, lacks: new Set(abilities.filter((ability) => lacking[ability])) }
}

function lacks(list: unknown, word: string): boolean {
  return Array.isArray(list) && list.length > 0 && !list.includes(word)
}

/** Ollama: what a loaded model was loaded with, else what its file asks for. How much a model could take says nothing. */
async function fromOllama(place: UpstreamPlace, model: string): Promise<ModelFacts> {
  const [loaded, shown] = await Promise.all([
    askJson(place, '/api/ps'),
    askJson(place, '/api/show', JSON.stringify({ model })),
  ])
  const running = valueAt(loaded, 'models')
  const own = Array.isArray(running)
    ? running.find((one) => isListed(model, [String(valueAt(one, 'name'))]))
    : undefined
  const parameters = valueAt(shown, 'parameters')
  const asked = typeof parameters === 'string' ? /^num_ctx\s+(\d{1,9})\s*$/m.exec(parameters)?.[1] : undefined
  const can = valueAt(shown, 'capabilities')
  const lacking = { tools: 'tools', images: 'vision', thinking: 'thinking' } as const
  return {
    context: tokensAt(own, 'context_length') ?? (asked === undefined ? undefined : Number(asked)),
    lacks: new Set(abilities.filter((ability) => lacks(can, lacking[ability]))),
  }
}

async function fromLlamaCpp(place: UpstreamPlace): Promise<ModelFacts> {
  const props = await askJson(place, '/props')
  return {
    context: tokensAt(props, 'default_generation_settings.n_ctx'),
    lacks: new Set(valueAt(props, 'modalities.vision') === false ? ['images'] : []),
  }
}

/** Only of a loaded model it is known what it was loaded with. */
async function fromLmStudio(place: UpstreamPlace, model: string): Promise<ModelFacts> {
  const list = valueAt(await askJson(place, '/api/v0/models'), 'data')
  const own = Array.isArray(list) ? list.find((one) => valueAt(one, 'id') === model) : undefined
  return {
    context: tokensAt(own, 'loaded_context_length'),
    lacks: new Set(valueAt(own, 'type') === 'llm' ? ['images'] : []),
  }
}

async function askJson(place: UpstreamPlace, path: string, body?: string): Promise<unknown> {
  const { status, text } = await askUpstream(place, rootOf(place, path), body)
  return status === 200 && text !== undefined ? parseJson(text) : undefined
}

function entryOf(model: string, entries: ModelsReply['entries'] = new Map()): unknown {
  const name = [...entries.keys()].find((one) => isListed(model, [one]))
  return name === undefined ? undefined : entries.get(name)
}

/** A number of tokens, unless it says that nobody knows. */
function tokensAt(value: unknown, path: string): number | undefined {
  const found = valueAt(value, path)
  const isSensible = typeof found === 'number' && Number.isInteger(found) && found >= minContext && found <= maxContext
  return isSensible ? found : undefined
}

const minContext = 1024
const maxContext = 100_000_000

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
}
