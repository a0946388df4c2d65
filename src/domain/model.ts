import { nearest } from '@csp/lib/nearest'
import { claudeModels, type OfferedModel } from './claude-models.ts'
import type { ResearchEffort } from './research-step.ts'
import type { Effort } from './search.ts'

/** What a model name stands for. `model` writes the answer; searches use the configured one. */
export interface ModelChoice {
  readonly effort: Effort
  readonly model?: string | undefined
  /** Answers with a research report. */
  readonly research?: ResearchEffort | undefined
  /** Plain inference, unless the request itself asks for a search. */
  readonly isPlain?: true | undefined
}

/** A backend's own name of a model, as other programs may send it. */
export const modelNamePattern = /^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/

/** The meaning of each model name that callers send; `*` covers unknown names. */
export type ModelMap = Readonly<Record<string, ModelEntry>>

/** `text` is plain inference: the model writes without a search. */
export interface ModelEntry {
  readonly effort: Effort | 'text'
  readonly model?: string | undefined
  readonly research?: ResearchEffort | undefined
  /** Of the entry for unknown names: csp's own, which stands behind everything that a user has configured. */
  readonly isUsual?: true | undefined
  /** The model that `model` resolves to, if the CLI said so. */
  readonly offered?: OfferedModel | undefined
}

/** The entry for unknown names. */
const anyModel = '*'

/** The entry for full names of Claude's models, which keep their model unless it names one. */
const anyClaude = 'claude-*'

/** The names that clients of search APIs send. A configuration may add to them and replace them. */
export const defaultModels: ModelMap = {
  sonar: { effort: 'fast' },
  'sonar-pro': { effort: 'standard' },
  'sonar-reasoning': { effort: 'deep' },
  'sonar-reasoning-pro': { effort: 'deep' },
  'sonar-deep-research': { effort: 'deep', research: 'medium' },
  'o4-mini-deep-research': { effort: 'deep', research: 'low' },
  'o3-deep-research': { effort: 'deep', research: 'medium' },
  ...namesOf(Object.keys(claudeModels), 'standard'),
  'gpt-4o-search-preview': { effort: 'standard' },
  'gpt-4o-mini-search-preview': { effort: 'fast' },
  'gpt-5-search-api': { effort: 'standard' },
  'gemini-flash-lite-latest': { effort: 'fast' },
  'gemini-flash-latest': { effort: 'standard' },
  'gemini-pro-latest': { effort: 'deep' },
  [anyModel]: { effort: 'standard', isUsual: true },
}

const claudeName = /^claude-[a-z0-9][a-z0-9.-]*$/
const geminiName = /^gemini-[a-z0-9][a-z0-9.-]*$/
/** Models that write no text: who names one of them wants something else. */
const geminiMedia = /^gemini-.*(?:embedding|image|tts|audio|live)/

/**
 * Looks up a caller's model name; a vendor prefix is dropped. Any name is served, unless the map has no entry for unknown
 * ones: then `undefined`.
 */
export function chooseModel(name: string, models: ModelMap = defaultModels): ModelChoice | undefined {
  const other = models[anyModel]
  return knownModel(name, models) ?? (other && !geminiMedia.test(bareName(name)) ? choiceOf(other) : undefined)
}

/** Whether a name means something here by itself, or by the user's own entry for all others. */
export function isKnownModel(name: string, models: ModelMap = defaultModels): boolean {
  return knownModel(name, models) !== undefined
}

/** How a name that means nothing here is served, in words; `undefined` for one that is known. */
export function unknownModelNote(name: string, models: ModelMap, usual = 'sonnet'): string | undefined {
  const { effort, model = usual } = models[anyModel] ?? {}
  if (effort === undefined || name.trim() === '' || isKnownModel(name, models)) return undefined
  const meant = nearest(bareName(name).slice(0, maxMistyped), namesIn(models))
  return `${effort}, written by ${model}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** Longer names are no mistyped ones of these. */
const maxMistyped = 64

/** The names themselves, without what stands for several. */
export function namesIn(models: ModelMap): readonly string[] {
  return Object.keys(models).filter((name) => !name.includes('*'))
}

function bareName(name: string): string {
  return name.trim().replace(/^(perplexity|anthropic|openai|google|gemini)\//, '')
}

function knownModel(name: string, models: ModelMap): ModelChoice | undefined {
  const bare = bareName(name)
  const known = Object.hasOwn(models, bare) ? models[bare] : undefined
  if (known) return choiceOf(known)
  if (/^sonar-reasoning[a-z0-9-]*$/.test(bare)) return { effort: 'deep' }
  const undated = /^(.+-deep-research)-\d{4}-\d{2}-\d{2}$/.exec(bare)?.[1] ?? ''
  if (Object.hasOwn(models, undated)) return knownModel(undated, models)
  if (claudeName.test(bare)) return choiceOf({ model: bare, ...(models[anyClaude] ?? { effort: 'standard' }) })
  if (geminiName.test(bare) && !geminiMedia.test(bare)) return { effort: geminiEffort(bare) }
  const other = models[anyModel]
  return other && !other.isUsual ? choiceOf(other) : undefined
}

/** What a configuration says of model names. */
export interface ModelSettings {
  /** What Claude's names stand for, and unknown ones. */
  readonly defaultEffort: ModelEntry['effort']
  readonly unknownModels: 'serve' | 'refuse'
  /** The user's own entries, which win. */
  readonly models: ModelMap
}

/** The meaning of each name as it is configured. */
export function configuredModels({ defaultEffort: effort, unknownModels, models }: ModelSettings): ModelMap {
  const { [anyModel]: _, ...known } = defaultModels
  return {
    ...known,
    ...namesOf(Object.keys(claudeModels), effort),
    [anyClaude]: { effort },
    ...(unknownModels === 'serve' && { [anyModel]: { effort, isUsual: true } }),
    ...models,
  }
}

/** Adds the models that the CLI offers. Existing names keep their meaning. */
export function withOffered(models: ModelMap, offered: readonly OfferedModel[]): ModelMap {
  const { effort } = models[anyClaude] ?? { effort: 'standard' }
  const all = {
    ...namesOf(
      offered.map(({ name }) => name),
      effort,
    ),
    ...models,
  }
  const known = new Map(offered.map((model) => [model.name, model]))
  return Object.fromEntries(
    Object.entries(all).map(([name, entry]) => [name, { ...entry, offered: known.get(entry.model ?? '') }]),
  )
}

/** Each short name, and `chat-` with it for plain inference. */
function namesOf(families: readonly string[], effort: ModelEntry['effort']): ModelMap {
  const named = families.map((model) => [model, { effort, model }] as const)
  const plain = families.map((model) => [`chat-${model}`, { effort: 'text', model }] as const)
  return Object.fromEntries([...named, ...plain])
}

/** Google's names change with each version; their sizes stay. */
function geminiEffort(name: string): Effort {
  if (name.includes('lite')) return 'fast'
  return /-pro\b/.test(name) ? 'deep' : 'standard'
}

function choiceOf({ effort, model, research }: ModelEntry): ModelChoice {
  if (effort === 'text') return { effort: 'standard', model, isPlain: true }
  return { effort, model, ...(research && { research }) }
}

/** The meaning of agent presets: current names, and older ones that clients still send. */
const presets: Readonly<Record<string, ModelChoice>> = {
  fast: { effort: 'fast' },
  low: { effort: 'standard' },
  medium: { effort: 'deep' },
  high: { effort: 'deep' },
  xhigh: { effort: 'deep', research: 'medium' },
  'fast-search': { effort: 'fast' },
  'pro-search': { effort: 'standard' },
  'deep-research': { effort: 'deep', research: 'medium' },
  'advanced-deep-research': { effort: 'deep', research: 'high' },
}

/** Looks up the effort of a preset; `undefined` if unknown. */
export function choosePreset(name: string): ModelChoice | undefined {
  const bare = name.trim()
  return Object.hasOwn(presets, bare) ? presets[bare] : undefined
}
