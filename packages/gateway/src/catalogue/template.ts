/**
 * What an error means: too much at once, more tokens than there is room for, more tokens wanted than the model writes, nothing
 * left to spend, an upstream that is busy, a thing that is not taken, or an error that another request would meet again.
 */
export type Meaning = 'rate' | 'full' | 'limit' | 'quota' | 'busy' | 'refuses' | 'final'

/** A line of the catalogue: what it means, the words with their holes, and who says so, with a link where there is one. */
export type Line = readonly [meaning: string, words: string, by: string]

/** What stood in the holes of a line. */
export interface Holes {
  /** Tokens: what fits in all, what the prompt has, what else it has, what was asked for, the most of a reply, any other. */
  readonly context?: number | undefined
  readonly prompt?: number | undefined
  readonly more?: number | undefined
  readonly asked?: number | undefined
  readonly max?: number | undefined
  readonly n?: number | undefined
  /** A name. */
  readonly field?: string | undefined
}

/** The form of a line that finds its words in a text that `plainWords` has made. */
export interface Template {
  readonly line: Line
  find(text: string): Holes | undefined
}

/** A text in the form in which lines are compared: lower case, without quotes, and with single spaces. */
export function plainWords(text: string): string {
  const part = text.length <= maxText ? text : `${text.slice(0, maxText / 2)} ${text.slice(-maxText / 2)}`
  return part.toLowerCase().replace(quotes, '').replace(/\s+/g, ' ')
}

/** An error may carry the whole request that it refuses. */
const maxText = 8000
const quotes = /["'`‘’“”\\]+/g

/**
 * Compiles a line. `*` stands for up to 200 characters, `{context}` and its like for numbers, `{limit}` for any name of the
 * limit of a reply, `{field}` for a name. What stands between two `*` is found at its first place, so that a text costs
 * linear time.
 */
export function compile(line: Line): Template {
  const chunks = plainWords(line[1]).split('*').map(compileChunk)
  const needle = longestLiteral(line[1])
  return {
    line,
    find(text) {
      if (!text.includes(needle)) return undefined
      for (let start = 0, tries = 0; start >= 0 && tries < maxTries; tries++) {
        const { holes, next } = findChunks(chunks, text, start)
        if (holes) return holes
        start = next
      }
      return undefined
    },
  }
}

/** Where the first words stand in vain so often, a line is given up. */
const maxTries = 5
const maxGap = 200

interface Chunk {
  readonly form: RegExp
  readonly names: readonly string[]
}

/** `next`: where the first words may be looked for again. */
function findChunks(chunks: readonly Chunk[], text: string, start: number) {
  const found: Record<string, number | string> = {}
  let place = start
  let next = -1
  for (const [index, { form, names }] of chunks.entries()) {
    form.lastIndex = place
    const match = form.exec(text)
    if (!match || (index > 0 && match.index - place > maxGap)) return { next }
    if (index === 0) next = match.index + 1
    place = match.index + match[0].length
    for (const [at, name] of names.entries()) {
      const word = match[at + 1] ?? ''
      if (name === 'field') found[name] = word
      else if (name !== 'limit') found[name] = Number.parseFloat(word.replaceAll(',', ''))
    }
  }
  return { holes: found as Holes, next }
}

const hole = /\{(\w+)\}/g

function compileChunk(words: string): Chunk {
  const names: string[] = []
  let form = ''
  let end = 0
  for (const { 0: whole, 1: name = '', index } of words.trim().matchAll(hole)) {
    names.push(name)
    form += escaped(words.trim().slice(end, index)) + (patterns[name] ?? number)
    end = index + whole.length
  }
  return { form: new RegExp(form + escaped(words.trim().slice(end)), 'g'), names }
}

const number = '(?<![\\d,.])(\\d[\\d,]{0,18})'
const patterns: Readonly<Record<string, string>> = {
  field: '([\\w$-]{1,60})',
  limit: '(max_?(?:completion_|output_|new_)?tokens)',
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function longestLiteral(words: string): string {
  const parts = plainWords(words).split(/\*|\{\w+\}/)
  return parts.reduce((longest, part) => (part.trim().length > longest.length ? part.trim() : longest), '')
}
