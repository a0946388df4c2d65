/** The operator's system prompts: of the model that writes over sources, and of one that searches by itself. */
export interface OwnPrompts {
  readonly standard?: string | undefined
  readonly deep?: string | undefined
}
