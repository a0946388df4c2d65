import { isObject, parseJson } from '@csp/lib/json'
import { JsonEnd } from '../json-end.ts'

/** A call that a model wrote as text. */
export interface WrittenCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The tools that a request offers: their names, with the schemas of their arguments. */
export type Offered = ReadonlyMap<string, unknown>

/** A form in which calls are written. All of it in linear time. */
export interface CallForm {
  /** Whether calls can begin as this text does, which may be a part of one. */
  canBegin(head: string, offered: Offered): boolean
  /**
   * Reads the calls at the head of a text, and says where they end. `undefined` where there are none, where one is cut, or
   * where one has a name that is not offered.
   */
  read(text: string, offered: Offered): FoundCalls | undefined
}

export interface FoundCalls {
  readonly calls: readonly WrittenCall[]
  readonly end: number
}

/** `{"name": "Bash", "arguments": {…}}`: one, several behind one another, or a list. */
export const json: CallForm = {
  canBegin: (head) => /^\s*(?:$|[[{])/.test(head),
  read(text, offered) {
    const calls: WrittenCall[] = []
    let end = 0
    for (;;) {
      const start = end + (/^[\s,;]*/.exec(text.slice(end, end + maxGap))?.[0].length ?? 0)
      if (text[start] !== '{' && text[start] !== '[') break
      const found = jsonAt(text, start)
      if (!found) return undefined
      for (const item of Array.isArray(found.value) ? found.value : [found.value]) {
        const call = callIn(item, offered)
        if (!call || calls.length === maxCalls) return undefined
        calls.push(call)
      }
      end = found.end
    }
    return calls.length > 0 ? { calls, end } : undefined
  },
}

/** A name, among marks of a model's own, before each object of arguments. */
export const named: CallForm = {
  canBegin: (head) => head.length < maxGap || head.includes('{'),
  read(text, offered) {
    const calls: WrittenCall[] = []
    let end = 0
    while (calls.length < maxCalls) {
      const brace = text.slice(end, end + maxGap).indexOf('{') + end
      const name = brace < end ? undefined : nameIn(text.slice(end, brace), offered)
      if (name === undefined) break
      const found = jsonAt(text, brace)
      if (!found || !isObject(found.value)) return undefined
      calls.push({ name, input: found.value })
      end = found.end
    }
    return calls.length > 0 ? { calls, end } : undefined
  },
}

/** `<function=Bash><parameter=command>ls</parameter></function>`, or `<invoke name="Bash">…`. */
export const elements: CallForm = {
  canBegin: (head) => /^\s*(?:$|<)/.test(head),
  read(text, offered) {
    const calls: WrittenCall[] = []
    let end = 0
    for (;;) {
      const opening = matchAt(beginOfCall, text, end)
      const name = opening?.[1]?.trim()
      if (!opening || name === undefined) break
      if (!offered.has(name) || calls.length === maxCalls) return undefined
      const read = parametersAt(text, end + opening[0].length, offered.get(name))
      const closing = read && matchAt(endOfCall, text, read.end)
      if (!read || !closing) return undefined
      calls.push({ name, input: read.input })
      end = read.end + closing[0].length
    }
    return calls.length > 0 ? { calls, end } : undefined
  },
}

/** `Bash<arg_key>command</arg_key><arg_value>ls</arg_value>`. */
export const keys: CallForm = {
  canBegin: (head, offered) => {
    const text = head.trim()
    return offered.keys().some((name) => name.startsWith(text) || text.startsWith(name))
  },
  read(text, offered) {
    const first = text.indexOf('<arg_key>')
    const name = (first < 0 ? text : text.slice(0, first)).trim()
    if (!offered.has(name)) return undefined
    const input = new Map<string, unknown>()
    let end = first < 0 ? text.length : first
    for (;;) {
      const opening = matchAt(beginOfValue, text, end)
      if (!opening) break
      const value = upTo(endOfValue, text, end + opening[0].length)
      if (!value) return undefined
      input.set(opening[1] ?? '', typed(value.text, propertyOf(offered.get(name), opening[1] ?? '')))
      end = value.end
    }
    return { calls: [{ name, input: Object.fromEntries(input) }], end }
  },
}

/** Whether what is left of a text are marks of a model's own, and nothing that it says. */
export function isOnlyMarks(text: string): boolean {
  return text.length <= maxGap && text.replace(marks, '').trim() === ''
}

const maxCalls = 64
/** Characters between two calls. */
const maxGap = 300

const marks = /<[^<>]{1,60}>|```[a-z]{0,10}|\[\/?[A-Z_]{1,20}\]/g
const prefix = '(?:｜DSML｜|\\w{1,20}:)?'
const named_ = '(?:\\s{1,8}name)?\\s{0,8}=\\s{0,8}["\']?([^"\'<>]{1,200}?)["\']?'
const beginOfCall = new RegExp(`\\s*<${prefix}(?:invoke|function)${named_}\\s{0,8}>`, 'y')
const endOfCall = new RegExp(`\\s*</${prefix}(?:invoke|function)>`, 'y')
const beginOfParameter = new RegExp(`\\s*<${prefix}parameter${named_}(\\s[^<>]{0,200})?>`, 'y')
/** A value may hold such a tag itself: its own is the one behind which the element goes on. */
const endOfParameter = new RegExp(
  `</${prefix}parameter>(?=\\s*(?:<${prefix}parameter[\\s=]|</${prefix}(?:invoke|function)>))`,
  'g',
)
const beginOfValue = /\s*<arg_key>([\s\S]{1,200}?)<\/arg_key>\s*<arg_value>/y
const endOfValue = /<\/arg_value>(?=\s*(?:<arg_key>|$))/g

function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | undefined {
  pattern.lastIndex = place
  return pattern.exec(text) ?? undefined
}

function upTo(
  pattern: RegExp,
  text: string,
  from: number,
): { readonly text: string; readonly end: number } | undefined {
  const found = matchAt(pattern, text, from)
  return found && { text: text.slice(from, found.index), end: found.index + found[0].length }
}

function parametersAt(text: string, from: number, schema: unknown) {
  const input = new Map<string, unknown>()
  let end = from
  for (;;) {
    const opening = matchAt(beginOfParameter, text, end)
    if (!opening) return { input: Object.fromEntries(input), end }
    const value = upTo(endOfParameter, text, end + opening[0].length)
    if (!value || input.size > maxCalls) return undefined
    const [, name = '', attributes = ''] = opening
    const told = /\bstring="(true|false)"/.exec(attributes)?.[1]
    const property = told === undefined ? propertyOf(schema, name) : { type: told === 'true' ? 'string' : 'object' }
    input.set(name, typed(value.text, property))
    end = value.end
  }
}

function propertyOf(schema: unknown, name: string): unknown {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** A value that was written without quotes, as what the schema wants: text, unless it wants none. */
function typed(written: string, property: unknown): unknown {
  const text = written.replace(/^\n/, '').replace(/\n$/, '')
  const types = typesOf(property)
  if (types.length === 0 || types.includes('string')) return text
  const plain = text.trim()
  return parseJson(plain) ?? parseJson(plain.toLowerCase()) ?? (/^(?:null|none)$/i.test(plain) ? null : text)
}

function typesOf(property: unknown): readonly unknown[] {
  if (!isObject(property)) return []
  const { type, anyOf, oneOf } = property
  const own = type === undefined ? [] : [type].flat()
  const others = [anyOf, oneOf].flatMap((all) => (Array.isArray(all) ? all : []))
  return [...own, ...others.flatMap((one) => (isObject(one) && one['type'] !== undefined ? [one['type']].flat() : []))]
}

/** The value that begins at a place, with its end. Raw line breaks in its strings are forgiven. */
function jsonAt(text: string, from: number): { readonly value: unknown; readonly end: number } | undefined {
  const json = new JsonEnd()
  const mended = json.push(text.slice(from))
  const end = from + json.length
  if (!json.hasEnded) return undefined
  const value = parseJson(mended.slice(0, mended.length - (text.length - end)))
  return value === undefined ? undefined : { value, end }
}

function callIn(item: unknown, offered: Offered): WrittenCall | undefined {
  if (!isObject(item)) return undefined
  const called = isObject(item['function']) ? item['function'] : item
  const { name } = called
  if (typeof name !== 'string' || !offered.has(name)) return undefined
  const given = ['arguments', 'parameters', 'input'].map((field) => called[field]).find((value) => value !== undefined)
  const input = typeof given === 'string' ? parseJson(given) : given
  if (input === null) return { name, input: {} }
  return isObject(input) ? { name, input } : undefined
}

/** The offered name in what stands before the arguments: alone, or as Kimi's `functions.Bash:0`. */
function nameIn(head: string, offered: Offered): string | undefined {
  return head
    .replace(marks, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^functions\./, '').replace(/:\d{1,6}$/, ''))
    .findLast((word) => offered.has(word))
}
