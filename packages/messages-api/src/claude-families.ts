/** The families of the vendor's models, by the word in their names. A new one is one word here. */
export const claudeFamilies = ['haiku', 'sonnet', 'opus', 'fable'] as const

export type ClaudeFamily = (typeof claudeFamilies)[number]

/** What the vendor's CLI calls models besides: the best one, and Opus for plans with Sonnet for the rest. */
const aliases = ['best', 'opusplan'] as const

const families = claudeFamilies.join('|')
/** `[1m]` asks the CLI for the long context. */
const vendorsName = new RegExp(`^(?:anthropic/)?(?:claude-|(?:${[families, ...aliases].join('|')})(?:\\[1m\\])?$)`, 'i')
const familyInName = new RegExp(`^claude-.*?(${families})`)

/** Whether a name is one of the vendor's models, with or without its prefix: a full name or the CLI's short one. */
export function isClaudeName(name: string): boolean {
  return vendorsName.test(name.trim())
}

/** The family of a full name; `undefined` where it has none that is known. */
export function familyOf(fullName: string): string | undefined {
  return familyInName.exec(fullName)?.[1]
}
