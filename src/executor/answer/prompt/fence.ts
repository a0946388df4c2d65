import { oneLine } from '@csp/lib/text'

/**
 * Untrusted text between tags that it cannot close, with each `@path` disarmed: the CLI would put that file's content in
 * its place. The one text that reaches the CLI otherwise is the system message of plain inference: a worker's system
 * prompt, where the CLI expands nothing.
 */
export function section(tag: Tag, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const head = Object.entries(attributes).map(([name, value]) => ` ${name}="${attributeValue(value)}"`)
  return `<${tag}${head.join('')}>\n${neutralise(text)}\n</${tag}>`
}

/** Several sections within one. */
export function sections(tag: Tag, parts: readonly string[]): string {
  return `<${tag}>\n${parts.join('\n')}\n</${tag}>`
}

/** Joins the parts of a prompt that are present, with an empty line between them. */
export function compose(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n')
}

const tags = [
  ...(['sources', 'notes', 'instructions', 'conversation', 'question', 'filters'] as const),
  ...([
    'schema',
    'problems',
    'claims',
    'claim',
    'passages',
    'since-then',
    'user-turn',
    'assistant-turn',
    'tool-call',
    'tool-result',
  ] as const),
]

export type Tag = (typeof tags)[number]

const joiner = '\u2060' // WORD JOINER: invisible, of no width, and no white space to the CLI

/**
 * Makes untrusted text inert without changing how it reads.
 * The CLI replaces `@path` in a prompt with the file's content: a joiner behind each `@` makes it a path that does not
 * exist. The same joiner in a tag keeps it from closing our section, and from looking like a tag of the CLI.
 */
export function neutralise(text: string): string {
  return text.replaceAll('@', `@${joiner}`).replace(ourTag, `<${joiner}`).replace(tagOfTheCli, `<${joiner}`)
}

/** Removes joiners: a model may quote them. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiner, '')
}

const ourTag = new RegExp(`<(?=/?(?:${tags.join('|')})\\b)`, 'gi')
const tagOfTheCli = /<(?=\/?(?:system-reminder|(?:local-)?command-[a-z]+)\b)/gi

/** A text that cannot end its quotes, its tag or its line. */
function attributeValue(text: string): string {
  return neutralise(oneLine(text).replace(/["<>]/g, "'"))
}
