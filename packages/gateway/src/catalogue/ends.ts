/** Why a reply ended: a stop reason of the Messages API, or that it failed. */
export type End = 'by itself' | 'max_tokens' | 'model_context_window_exceeded' | 'refusal' | 'failure'

/** The words of upstreams for it, in lower case. */
// biome-ignore format: a line stays one line
const ends: readonly (readonly [reason: string, end: End, by: string])[] = [
  ['stop', 'by itself', 'OpenAI'],
  ['end_turn', 'by itself', 'Anthropic, through LiteLLM'],
  ['eos', 'by itself', 'Together'],
  ['eos_token', 'by itself', 'TGI'],
  ['stop_sequence', 'by itself', 'Anthropic, through LiteLLM'],
  ['complete', 'by itself', 'Cohere'],
  ['tool_calls', 'by itself', 'OpenAI'],
  ['tool_use', 'by itself', 'Anthropic, through LiteLLM'],
  ['function_call', 'by itself', 'OpenAI, before 2024'],
  ['length', 'max_tokens', 'OpenAI'],
  ['max_tokens', 'max_tokens', 'Anthropic, Cohere, Gemini'],
  ['max_output_tokens', 'max_tokens', 'OpenAI Responses'],
  ['max_completion_tokens', 'max_tokens', 'Perplexity'],
  ['model_length', 'model_context_window_exceeded', 'Mistral'],
  ['model_context_window_exceeded', 'model_context_window_exceeded', 'Z.ai, Anthropic'],
  ['context_length_exceeded', 'model_context_window_exceeded', 'Cohere'],
  ['content_filter', 'refusal', 'OpenAI'],
  ['content_filtered', 'refusal', 'Bedrock'],
  ['guardrail_intervened', 'refusal', 'Bedrock'],
  ['sensitive', 'refusal', 'Z.ai'],
  ['refusal', 'refusal', 'Anthropic'],
  ['error_toxic', 'refusal', 'Cohere'],
  ['safety', 'refusal', 'Gemini'],
  ['recitation', 'refusal', 'Gemini'],
  ['prohibited_content', 'refusal', 'Gemini'],
  ['blocklist', 'refusal', 'Gemini'],
  ['spii', 'refusal', 'Gemini'],
  ['language', 'refusal', 'Gemini'],
  ['image_safety', 'refusal', 'Gemini'],
  ['error', 'failure', 'OpenRouter, Cohere'],
  ['abort', 'failure', 'vLLM, SGLang'],
  ['aborted', 'failure', 'DeepSeek'],
  ['network_error', 'failure', 'Z.ai'],
  ['insufficient_system_resource', 'failure', 'DeepSeek'],
  ['rate_limit_exceeded', 'failure', 'OpenAI Responses'],
  ['malformed_function_call', 'failure', 'Gemini'],
  ['malformed_response', 'failure', 'Gemini'],
  ['unexpected_tool_call', 'failure', 'Gemini'],
  ['too_many_tool_calls', 'failure', 'Gemini'],
  ['missing_thought_signature', 'failure', 'Gemini'],
  ['malformed_tool_use', 'failure', 'Bedrock'],
  ['malformed_model_output', 'failure', 'Bedrock'],
]

const known: ReadonlyMap<string, End> = new Map(ends.map(([reason, end]) => [reason, end]))

/** The end that a reason names; `undefined` for one that nobody knows. LiteLLM and others put a word of their own before it. */
export function endOf(reason: string): End | undefined {
  const words = reason.toLowerCase().split(/[:\s]+/)
  const last = words.at(-1)
  return known.get(reason.toLowerCase()) ?? (last === undefined ? undefined : known.get(last))
}
