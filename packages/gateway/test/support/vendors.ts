import type { ProviderKind } from '../../src/chat-completions/provider.ts'
import { type ChatRequest, chunk, openAiError, type Piece, type ProviderScript, toolChunk } from './strict-provider.ts'

/** What a vendor's model does in one turn. */
interface Turn {
  readonly thought?: string | undefined
  readonly text?: string | undefined
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly json: string }[] | undefined
}

type Play = (body: ChatRequest) => Turn
type Raw = Readonly<Record<string, unknown>>

/** OpenAI with a model that reasons in secret: refuses what it does not know, and what such a model does not take. */
function openAi(play: Play): ProviderScript {
  return {
    refuse: (body) => {
      const [unknown] = fieldsBeyond(body, ['reasoning_effort', 'prompt_cache_key', 'parallel_tool_calls'])
      if (unknown) return openAiError(400, `Unrecognized request argument supplied: ${unknown}`)
      for (const param of ['max_tokens', 'stop', 'temperature', 'top_p']) {
        if (!(param in body) || (param !== 'max_tokens' && body[param] === 1)) continue
        const message = `Unsupported parameter: '${param}' is not supported with this model.`
        return openAiError(400, message, { param, code: 'unsupported_parameter' })
      }
      return undefined
    },
    reply: (body) => {
      const { text, calls = [] } = play(body)
      return [
        chunk({ role: 'assistant', content: null, refusal: null }),
        ...piecesOf(text).map((content) => chunk({ content })),
        ...calls.flatMap(({ id, name, json }, index) => [
          toolChunk(index, { id, name, json: '' }),
          ...piecesOf(json).map((piece) => toolChunk(index, { json: piece })),
        ]),
        chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
        { choices: [], usage: usageWith({ prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 } }) },
        '[DONE]',
      ]
    },
  }
}

/** OpenRouter: comments while it waits, a thought in two forms, usage in a chunk with an empty choice. */
export function openRouter(play: Play): ProviderScript {
  return {
    refuse: (body) => {
      if ('reasoning_effort' in body) {
        return openAiError(400, 'Only one of "reasoning" and "reasoning_effort" can be provided', { code: 400 })
      }
      const bad = JSON.stringify(body['messages']).includes('cache_control')
      return bad ? openAiError(400, 'Provider returned error', { code: 400 }) : undefined
    },
    reply: (body) => {
      const { thought, text, calls = [] } = play(body)
      const details = piecesOf(thought).map((words) => ({
        type: 'reasoning.text',
        text: words,
        format: 'unknown',
        index: 0,
      }))
      const signature = { type: 'reasoning.text', signature: 'sig-of-provider', format: 'unknown', index: 0 }
      const empty = { role: 'assistant', content: '' }
      return [
        ': OPENROUTER PROCESSING',
        ...details.map((detail) => chunk({ ...empty, reasoning: detail.text, reasoning_details: [detail] })),
        ...(thought ? [chunk({ ...empty, reasoning: null, reasoning_details: [signature] })] : []),
        ': OPENROUTER PROCESSING',
        ...piecesOf(text).map((content) => chunk({ role: 'assistant', content })),
        ...calls.flatMap(({ id, name, json }, index) => [
          toolChunk(index, { id, name, json: '' }),
          ...piecesOf(json).map((piece) => toolChunk(index, { json: piece })),
        ]),
        chunk(empty, calls.length > 0 ? 'tool_calls' : 'stop'),
        { ...chunk(empty), usage: usageWith({ cost: 0.001, prompt_tokens_details: { cached_tokens: 8 } }) },
        '[DONE]',
      ]
    },
  }
}

/** Ollama: ignores what it does not know, calls a tool whole in one chunk, and thinks in `reasoning`. */
export function ollama(play: Play): ProviderScript {
  return {
    version: '0.14.1',
    refuse: (body) =>
      body['model'] === 'missing'
        ? openAiError(404, 'model "missing" not found, try pulling it first', { type: 'not_found_error' })
        : undefined,
    reply: (body) => {
      const { thought, text, calls = [] } = play(body)
      const empty = { role: 'assistant', content: '' }
      return [
        ...piecesOf(thought).map((reasoning) => chunk({ ...empty, reasoning })),
        ...piecesOf(text).map((content) => chunk({ role: 'assistant', content })),
        ...calls.map((call, index) => toolChunk(index, call)),
        chunk(empty, calls.length > 0 ? 'tool_calls' : 'stop'),
        { choices: [], usage: usageWith({}) },
        '[DONE]',
      ] satisfies Piece[]
    },
  }
}

/** Who plays each kind of provider. */
export const vendors: Readonly<Record<ProviderKind, (play: Play) => ProviderScript>> = {
  openai: openAi,
  openrouter: openRouter,
  ollama,
  other: ollama,
}

/** Every kind. */
export const providerKinds = Object.keys(vendors) as readonly ProviderKind[]

const common = ['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature']
const more = ['top_p', 'stop', 'tools', 'tool_choice']

function fieldsBeyond(body: Raw, known: readonly string[]): readonly string[] {
  return Object.keys(body).filter((name) => ![...common, ...more, ...known].includes(name))
}

function usageWith(details: object): object {
  return { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, ...details }
}

function piecesOf(text = ''): readonly string[] {
  return text.match(/[\s\S]{1,3}/gu) ?? []
}
