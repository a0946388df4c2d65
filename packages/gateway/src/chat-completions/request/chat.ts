/** The wire of OpenAI's chat completions, as far as csp writes it. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ChatPart[] }
  | AssistantMessage
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly ChatToolCall[] | undefined
  /** An earlier thought, in the form in which the provider gave it. */
  readonly reasoning?: string | undefined
  readonly reasoning_content?: string | undefined
  readonly reasoning_details?: readonly unknown[] | undefined
}

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } }

export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  /** Part of an earlier thought, as the provider gave it. */
  readonly extra_content?: unknown
}
