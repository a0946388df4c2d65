/** What is asked of an element. */
interface Asked {
  readonly localName: string
  readonly parentElement: Asked | null
  readonly previousElementSibling: Asked | null
  getAttribute(name: string): string | null
}

export type Matcher = (element: Asked) => boolean

/**
 * What tells whether an element matches a selector of ours: names, classes and attributes, in one another (` `), right in
 * one another (`>`) or right behind one another (`+`), and several of these (`,`). Each is compiled once. Any other selector is a mistake in the code.
 */
export function matcherOf(selector: string): Matcher {
  const known = compiled.get(selector)
  if (known) return known
  const matcher = anyOf(splitAtCommas(selector).map(chainOf))
  compiled.set(selector, matcher)
  return matcher
}

const compiled = new Map<string, Matcher>()

/** An element's own tests from left to right, and how it stands to the one before. */
interface Step {
  readonly relation: string
  readonly name: string | undefined
  readonly tests: readonly Matcher[]
}

function splitAtCommas(selector: string): readonly string[] {
  return (selector.match(/(?:"[^"]*"|[^,"])+/g) ?? []).map((part) => part.trim())
}

function chainOf(selector: string): readonly Step[] {
  const steps: Step[] = []
  let at = 0
  let relation = ''
  while (at < selector.length) {
    combinator.lastIndex = at
    const between = combinator.exec(selector)?.[0] ?? ''
    relation = between.trim()
    at += between.length
    compound.lastIndex = at
    const own = compound.exec(selector)?.[0]
    if (!own) throw new Error(`The selector ${selector} cannot be read.`)
    steps.push({ relation, ...testsOf(own) })
    at += own.length
  }
  return steps
}

const combinator = /\s*[>+]\s*|\s+/y
const simple = /\*|[\w-]+|\.[\w-]+|\[[\w-]+(?:[~^*]?="[^"]*"(?: i)?)?\]/
const compound = new RegExp(`(?:${simple.source})+`, 'y')

function testsOf(own: string): Pick<Step, 'name' | 'tests'> {
  const parts = own.match(new RegExp(simple.source, 'g')) ?? []
  const name = parts.find((part) => /^[\w-]/.test(part))
  return { name, tests: parts.filter((part) => /^[.[]/.test(part)).map(testOf) }
}

function testOf(part: string): Matcher {
  if (part.startsWith('.')) {
    const name = part.slice(1)
    return (element) => hasWord(element.getAttribute('class'), name)
  }
  const [, name = '', operator, written = '', flag] = /^\[([\w-]+)(?:([~^*]?=)"([^"]*)"( i)?)?\]$/.exec(part) ?? []
  if (operator === undefined) return (element) => element.getAttribute(name) !== null
  const wanted = flag ? written.toLowerCase() : written
  return (element) => {
    const value = element.getAttribute(name)
    return value !== null && compares(flag ? value.toLowerCase() : value, operator, wanted)
  }
}

function compares(value: string, operator: string, wanted: string): boolean {
  if (operator === '=') return value === wanted
  if (operator === '^=') return value.startsWith(wanted)
  return operator === '*=' ? value.includes(wanted) : hasWord(value, wanted)
}

/** Whether a word stands in a value between spaces. */
function hasWord(value: string | null, word: string): boolean {
  if (value === null || value.length < word.length) return false
  if (value.length === word.length) return value === word
  for (let at = value.indexOf(word); at >= 0; at = value.indexOf(word, at + word.length))
    if (isSpace(value, at - 1) && isSpace(value, at + word.length)) return true
  return false
}

/** Also before the first sign and behind the last. */
function isSpace(value: string, at: number): boolean {
  const code = value.charCodeAt(at)
  return Number.isNaN(code) || code === 32 || (code >= 9 && code <= 13)
}

function anyOf(chains: readonly (readonly Step[])[]): Matcher {
  const names = new Set<string>()
  const others: (readonly Step[])[] = []
  for (const steps of chains) {
    const [step, ...more] = steps
    if (!step || more.length > 0 || step.tests.length > 0) others.push(steps)
    else if (step.name === undefined) return () => true
    else names.add(step.name)
  }
  const [only] = others
  if (names.size === 0 && only && others.length === 1) return (element) => matchesChain(element, only)
  return (element) => names.has(element.localName) || others.some((steps) => matchesChain(element, steps))
}

function matchesChain(element: Asked, steps: readonly Step[]): boolean {
  return matchesUpTo(element, steps, steps.length - 1)
}

/** Whether an element matches one of the steps, and those around it the steps before. */
function matchesUpTo(element: Asked, steps: readonly Step[], last: number): boolean {
  const step = steps[last]
  if (!step || !matchesStep(element, step)) return false
  if (last === 0) return true
  let around = step.relation === '+' ? element.previousElementSibling : element.parentElement
  if (step.relation !== '') return around !== null && matchesUpTo(around, steps, last - 1)
  while (around && !matchesUpTo(around, steps, last - 1)) around = around.parentElement
  return around !== null
}

function matchesStep(element: Asked, { name, tests }: Step): boolean {
  if (name !== undefined && element.localName !== name) return false
  for (const test of tests) if (!test(element)) return false
  return true
}
