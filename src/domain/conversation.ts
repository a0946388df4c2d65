/** One of the caller's functions. */
export interface Tool {
  /** `[A-Za-z0-9_-]`, 1 to 64 of them. */
  readonly name: string
  readonly description?: string | undefined
  /** The schema of its arguments, always an object. */
  readonly parameters: JsonSchema
}

/** Whether the model may, must or must not call a tool, or which one it must call. Absent: `auto`. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type JsonSchema = Readonly<Record<string, unknown>>

/** The model's call of one of the caller's functions. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** A JSON object as text. */
  readonly arguments: string
}

/** One turn of a conversation. A `tool` turn has the result of a call in an earlier assistant turn. */
export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ToolCall[] | undefined }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string }
