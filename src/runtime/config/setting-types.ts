import { z } from 'zod'

// The types of settings and their descriptions. Each type takes text, as flags and variables give it, and JSON, as the file does. Error messages
// complete "NAME …".

/** The description of a setting. Flags, help and docs are generated from it. */
export interface SettingMeta {
  readonly group: 'Server' | 'Searching' | 'Pages' | 'Cache' | 'Spending' | 'Backends' | 'Tunnel' | 'Gateway' | 'Other'
  readonly help: string
  /** Placeholder for the value in help; absent for a switch. */
  readonly hint?: string | undefined
  /** Commands that take it as a flag, in addition to `serve`, `doctor` and `config`, which take all. */
  readonly commands: readonly string[]
  /** Its value is never shown. */
  readonly secret?: true | undefined
  /** Other users of the machine can read a command line, so most secrets cannot be flags. */
  readonly isFlag?: false | undefined
  readonly isVariable?: false | undefined
  /** The variable of other programs, which is its name in the file, too. csp has none of its own for it. */
  readonly theirs?: string | undefined
  /** The default as the docs show it, where it is computed. */
  readonly defaultText?: string | undefined
}

export const about = z.registry<SettingMeta>()

/** The commands that search, apart from those that take all settings. */
export const searchCommands = ['connect', 'search', 'ask', 'research', 'mcp'] as const

/** A URL of a server, with or without a path, and without credentials. */
export const plainAddress = /^https?:\/\/[^\s/@?#]+(?:\/[^\s@?#]*)?$/i

export function text(expects: string) {
  const error = `must be ${expects}`
  return z.string(error).trim().min(1, error)
}

export function languageCode() {
  return text('a language')
    .regex(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/, 'must be a language code such as en or pt-br')
    .toLowerCase()
}

export function address(example: string) {
  return text('an address').regex(plainAddress, `must be an address such as ${example}`)
}

export function secret() {
  const error = 'must be a key without spaces'
  return z
    .string(error)
    .trim()
    .regex(/^[\x21-\x7e]+$/, error)
}

/** The path of a file; none by default. */
export function textFile() {
  return text('a text file').optional()
}

export function integer(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`
  return z.preprocess(numberFrom, z.int(error).min(minimum, error).max(maximum, error))
}

/** An average in a second, and after a slash how many may start at once: `2/1`. */
export function pace(maximum: number) {
  const error = `must be a number from 0 to ${maximum}, or with the most at once: 2/1`
  const strict = z.string().refine((text) => {
    const [, perSecond, burst] = /^(\d{1,4}(?:\.\d{1,3})?)\/(\d{1,4})$/.exec(text) ?? []
    return Number(perSecond) <= maximum && Number(burst) >= 1
  }, error)
  return z.preprocess(numberFrom, z.union([z.number(error).min(0, error).max(maximum, error), strict], error))
}

/** A part in percent, with or without its sign. */
export function percent(maximum: number) {
  const error = `must be a part such as 20%, of ${maximum}% or less`
  const plain = (value: unknown) => numberFrom(typeof value === 'string' ? value.trim().replace(/\s?%$/, '') : value)
  return z.preprocess(plain, z.number(error).min(0, error).max(maximum, error))
}

/** In seconds. */
export function duration(minimum: number) {
  const error = `must be a time such as 90, 90s, 2m or 1h${minimum > 0 ? `, of ${minimum} s or more` : ''}`
  return z.preprocess(secondsFrom, z.number(error).min(minimum, error))
}

export function choice<const Word extends string>(...words: readonly [Word, ...Word[]]) {
  return z.enum(words, `must be one of: ${words.join(', ')}`)
}

export function list(expects: string, pattern = /\S/, minimum = 0) {
  const error = `must be ${expects}`
  return z.preprocess(itemsFrom, z.array(z.string(error).regex(pattern, error), error).min(minimum, error))
}

/** One or more of some words, each once. */
export function choices<const Word extends string>(words: readonly Word[]) {
  const error = `must be some of ${words.join(', ')}, each once, with commas between them`
  const isDistinct = (items: readonly unknown[]) => new Set(items).size === items.length
  return z.preprocess(itemsFrom, z.array(z.enum(words, error), error).min(1, error).refine(isDistinct, error))
}

/** A map from names of models to efforts and models. */
export function modelMap() {
  const error = 'must map names to objects such as {"effort": "fast", "model": "haiku"}'
  const choice = z
    .object({
      effort: z.enum(['fast', 'standard', 'deep', 'text']),
      model: z.string().min(1).optional(),
      research: z.enum(['low', 'medium', 'high']).optional(),
    })
    .refine(({ effort, research }) => !research || effort !== 'text', 'research needs an effort that searches')
  return z.record(z.string(), choice, { error })
}

/** `yes` and the like as what they mean; anything else as it is. */
export function switchFrom(value: unknown): unknown {
  return typeof value === 'string' ? (booleans[value.toLowerCase()] ?? value) : value
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

function itemsFrom(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

function numberFrom(value: unknown): unknown {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
}

const secondsPerUnit = { d: 86_400, h: 3600, m: 60, s: 1, ms: 0.001 } as const
type TimeUnit = keyof typeof secondsPerUnit

/** A bare number is one of seconds; with units there may be several: `1h30m`. */
function secondsFrom(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|[smhd])\s*)+$/.test(text)) return value
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[smhd])/g)]
  // The pattern has no other units.
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * secondsPerUnit[unit as TimeUnit], 0)
}

/** A number of seconds as `duration` reads it, in the largest unit that has a whole number of it. */
export function durationText(seconds: number): string {
  if (seconds === 0) return '0'
  const unit = Object.entries(secondsPerUnit).find(([, size]) => Number.isInteger(seconds / size))
  return unit ? `${seconds / unit[1]}${unit[0]}` : String(seconds)
}
