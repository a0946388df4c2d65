/** A function of the caller's. */
export interface Tool {
  /** `[A-Za-z0-9_-]`, 1 to 64 of them. */
  readonly name: string
  readonly description?: string | undefined
  /** Of its arguments: always an object. */
  readonly parameters: JsonSchema
}

/** Whether the model may, must not or must ask for a tool, or for which one. Absent: `auto`. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type JsonSchema = Readonly<Record<string, unknown>>

/** The model's wish that the caller run a function. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** A JSON object, as text. */
  readonly arguments: string
}

/** One turn of the conversation. A `tool` turn answers a call of an assistant turn before it. */
export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ToolCall[] | undefined }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string }
