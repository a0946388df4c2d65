import { parseUrl } from '@csp/lib/url'
import type { MessagesRequest } from '@csp/messages-api/request'
import { effortOf, reasons } from '../translation/request/thinking.ts'
import { mayBeOllama } from './ollama.ts'

/** Providers that want parameters of their own; `other` gets those that all of them understand. */
export type ProviderKind = 'openrouter' | 'openai' | 'ollama' | 'other'

/** Recognises a provider by the host of its URL; `undefined` for one that has to be asked whether it is Ollama. */
export function recogniseProvider(url: string): ProviderKind | undefined {
  const host = parseUrl(url)?.hostname ?? ''
  if (host === 'openrouter.ai' || host.endsWith('.openrouter.ai')) return 'openrouter'
  if (host === 'api.openai.com' || host.endsWith('.api.openai.com')) return 'openai'
  return mayBeOllama(url) ? undefined : 'other'
}

/** Settings that only some kinds of provider use. */
export interface ProviderOptions {
  /**
   * Whether Ollama must call a tool on a fresh user turn; on by default. After a tool's result it never must: an
   * agent could not finish.
   */
  readonly requireTools?: boolean | undefined
  /** Who calls, for OpenRouter's statistics. */
  readonly referer?: string | undefined
  readonly title?: string | undefined
}

/** The parameters that one provider wants and the others must not get. The same for every reply, streamed or not. */
export function providerParameters(
  kind: ProviderKind,
  request: MessagesRequest,
  options: ProviderOptions,
  without: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const effort = effortOf(request, without, kind === 'openai' ? 'medium' : undefined)
  const asked = effort === undefined ? {} : { reasoning_effort: effort }
  const sampling = request.top_k == null ? {} : { top_k: request.top_k }
  switch (kind) {
    case 'openrouter':
      return {
        ...openRouterReasoning(request, effort),
        usage: { include: true },
        ...sampling,
      }
    case 'openai':
      return asked
    case 'ollama':
      return { ...asked, ...sampling, ...toolChoice(request, options) }
    case 'other':
      return { ...asked, ...sampling }
  }
}

function openRouterReasoning(request: MessagesRequest, effort: string | undefined) {
  if (reasons(request)) return { reasoning: { enabled: true, ...(effort && { effort }) } }
  return effort === 'none' ? { reasoning: { enabled: false } } : {}
}

/** Headers that one provider understands. */
export function providerHeaders(kind: ProviderKind, { referer, title }: ProviderOptions): Record<string, string> {
  if (kind !== 'openrouter') return {}
  return { ...(referer && { 'http-referer': referer }), ...(title && { 'x-title': title }) }
}

/** A tool on a fresh user turn; after a tool's result the model is free. The caller may choose otherwise. */
function toolChoice({ messages, tool_choice }: MessagesRequest, { requireTools = true }: ProviderOptions) {
  if (!requireTools || tool_choice) return {}
  // Claude Code may put a system message behind what the user says.
  const last = messages.findLast(({ role }) => role !== 'system')
  const isFresh = typeof last?.content === 'string' || !last?.content.some(({ type }) => type === 'tool_result')
  return { tool_choice: last?.role === 'user' && isFresh ? 'required' : 'auto' }
}
