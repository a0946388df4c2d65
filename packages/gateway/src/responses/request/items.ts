/** The wire of OpenAI's Responses API, as far as csp writes it. */
export type InputItem =
  | { readonly type: 'message'; readonly role: 'user'; readonly content: readonly InputPart[] }
  | {
      readonly type: 'message'
      readonly role: 'assistant'
      readonly content: readonly OutputText[]
      readonly phase?: 'commentary' | 'final_answer' | undefined
    }
  | ReasoningItem
  | { readonly type: 'function_call'; readonly call_id: string; readonly name: string; readonly arguments: string }
  | CallOutput

export interface CallOutput {
  readonly type: 'function_call_output'
  readonly call_id: string
  readonly output: string | readonly InputPart[]
}

export type InputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string }
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string }
  | { readonly type: 'input_file'; readonly file_url: string }

export interface OutputText {
  readonly type: 'output_text'
  readonly text: string
}

/** An earlier thought. OpenAI reads its encrypted content; servers of open models read its words. */
export interface ReasoningItem {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
  readonly encrypted_content?: string | undefined
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[] | undefined
}
