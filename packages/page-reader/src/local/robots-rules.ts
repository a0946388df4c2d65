/** Longer files are read up to here, as RFC 9309 allows. */
export const maxRobotsBytes = 500 * 1024

/**
 * The rules of a robots.txt for one robot (RFC 9309). The file and the address are both untrusted: they are read up to
 * a length, and a rule is matched in one pass over the address.
 */
export class RobotsRules {
  readonly #rules: readonly Rule[]

  /** Reads the groups for the robot of this name, in lower case; if there are none, those for all robots. */
  constructor(text: string, name: string) {
    const groups = { own: [] as Rule[], all: [] as Rule[] }
    let named = new Set<keyof typeof groups>()
    let hasOwn = false
    let isNaming = false
    let left = maxRules
    for (const [key, value] of fieldsOf(text)) {
      if (key === 'user-agent') {
        const robot = value.toLowerCase().split(/[\s/]/, 1)[0]
        if (!isNaming) named = new Set()
        if (robot === '*') named.add('all')
        if (robot === name) named.add('own')
        hasOwn ||= robot === name
      } else if ((key === 'allow' || key === 'disallow') && value && left-- > 0) {
        const rule = ruleOf(value, key === 'allow')
        for (const group of named) groups[group].push(rule)
      }
      isNaming = key === 'user-agent'
    }
    this.#rules = hasOwn ? groups.own : groups.all
  }

  /** The longest rule that fits decides; of two equally long ones, the one that allows. */
  allows({ pathname, search }: URL): boolean {
    const path = comparable((pathname + search).slice(0, maxLength))
    let best: Rule | undefined
    for (const rule of this.#rules) {
      const isBetter = !best || rule.length > best.length || (rule.length === best.length && rule.allows)
      if (isBetter && fits(rule, path)) best = rule
    }
    return best?.allows ?? true
  }
}

interface Rule {
  readonly allows: boolean
  /** What stands between the wildcards. An address begins with the first part. */
  readonly parts: readonly string[]
  /** Whether an address ends with the last part. */
  readonly isWhole: boolean
  readonly length: number
}

/** The longest rule or address. Rules that people write are a tenth as long. */
const maxLength = 2000
const maxRules = 5000

/** The fields of a file: a name in lower case, and its value without comment. */
function* fieldsOf(text: string): Generator<readonly [key: string, value: string], void, undefined> {
  for (const line of text.split(/[\r\n]+/)) {
    const [field = ''] = line.split('#', 1)
    const colon = field.indexOf(':')
    if (colon > 0) yield [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1).trim()]
  }
}

function ruleOf(value: string, allows: boolean): Rule {
  const pattern = comparable(encodeURI(value.slice(0, maxLength).toWellFormed()).replaceAll('%25', '%'))
  const isWhole = pattern.endsWith('$')
  const [first = '', ...others] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  // Several wildcards in a row are one, and a last one says nothing; but an address may end with anything behind it.
  const last = isWhole ? others.slice(-1) : []
  const between = (isWhole ? others.slice(0, -1) : others).filter(Boolean)
  return { allows, parts: [first, ...between, ...last], isWhole, length: pattern.length }
}

/** Each part as early as it fits, so nothing is tried twice. */
function fits({ parts, isWhole }: Rule, path: string): boolean {
  const [first = ''] = parts
  if (!path.startsWith(first)) return false
  if (isWhole && parts.length === 1) return path === first
  let from = first.length
  for (const part of isWhole ? parts.slice(1, -1) : parts.slice(1)) {
    const index = path.indexOf(part, from)
    if (index < 0) return false
    from = index + part.length
  }
  const last = isWhole ? (parts.at(-1) ?? '') : ''
  return path.length - last.length >= from && path.endsWith(last)
}

/** Escapes have one spelling. */
function comparable(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (octet) => octet.toUpperCase())
}
