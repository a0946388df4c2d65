/** The operator's system prompts: of the model that writes over sources, and of one that searches by itself. */
export interface OwnPrompts {
  readonly standard?: string | undefined
  readonly deep?: string | undefined
}

/** The caller's instructions where a person reads the answer: on csp's page, and on the terminal. */
export const forPeople =
  'A person reads your answer, as Markdown. Begin with the answer in a sentence or two. Use lists and tables where they help, bold for what matters most, and headings (##) in long answers only.'
