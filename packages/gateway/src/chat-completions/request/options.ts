import type { PartOptions } from '../../translation/request/parts.ts'
import type { ToolNames } from '../../translation/tool-names.ts'

export interface ConversationOptions extends PartOptions {
  /** Whether the model takes messages of the role `system`. Otherwise the user says what stands there. */
  readonly systemRole: boolean
  /** Whether the model takes messages of the role `tool`. Otherwise calls and results are told as text. */
  readonly toolRole: boolean
  /** Reads a thought that the same model gave with this signature; `undefined` for any other. */
  readonly readThought: ((thinking: string, signature: string) => Thought | undefined) | undefined
  /** The field that each message of the model must have, with a blank where no thought is known. */
  readonly missingThought?: 'reasoning' | 'reasoning_content' | undefined
  /** Whether calls without a signature get the mark that Gemini takes in its place. */
  readonly marksCalls?: boolean | undefined
  readonly names: ToolNames
}

/**
 * The field in which a provider gave a thought that is words only. A thought in the text (`content`), between tags, is
 * not sent back.
 */
export type WordsField = 'reasoning' | 'reasoning_content' | 'content'

/** An earlier thought, in the field in which the provider gave it. */
export type Thought = (
  | { readonly field: WordsField; readonly text: string }
  | { readonly field: 'reasoning_details'; readonly details: readonly unknown[] }
) & {
  /** What belongs to calls of tools, by their ids: their `extra_content`. */
  readonly calls?: Readonly<Record<string, unknown>> | undefined
}
