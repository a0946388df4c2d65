import { z } from 'zod'

/** Every setting of csp, checked. Times are in seconds. */
export type Config = Readonly<z.output<typeof configSchema>>

export type SettingName = keyof Config

/** Takes text, as flags and variables give it, and JSON, as the file does. Messages complete "NAME …". */
export const configSchema = z.object({
  host: text('an address, such as 127.0.0.1').default('127.0.0.1'),
  port: integer(0, 65_535).default(52_480),
  model: text('a model name, such as sonnet').default('sonnet'),
  concurrency: integer(1, 100).default(3),
  queue: integer(0, 100_000).default(100),
  rate: amount(1000).default(2),
  maxSessionSearches: integer(1, 10_000).default(20),
  sessionContext: choice('clear', 'keep').default('clear'),
  timeout: duration(1).default(120),
  cacheTtl: duration(0).default(3600),
  cacheDir: text('a folder').optional(),
  stateDir: text('a folder').optional(),
  minuteSearches: integer(0, 1_000_000).default(0),
  dailySearches: integer(0, 1_000_000_000).default(0),
  dailyTokens: integer(0, 1_000_000_000_000).default(0),
  excerpts: choice('lines', 'none').default('lines'),
  apiKeys: list('keys without spaces, with commas between them', /^[\x21-\x7e]+$/).default([]),
  auth: choice('subscription', 'api-key').default('subscription'),
  logLevel: choice('debug', 'info', 'warning', 'error', 'silent').default('info'),
  sandbox: toggle().default(false),
  claudeBin: text('the path of the Claude Code CLI').optional(),
  allowedHosts: list('host names with commas between them').default([]),
  allowedOrigins: list('origins, such as https://example.org, with commas between them', /^https?:\/\/[^/]+$/).default(
    [],
  ),
  models: z
    .record(
      z.string(),
      z.object({ effort: z.enum(['fast', 'standard', 'deep']), model: z.string().min(1).optional() }),
      {
        error: 'must map names to objects such as {"effort": "fast", "model": "haiku"}',
      },
    )
    .default({}),
})

function text(expects: string) {
  const error = `must be ${expects}`
  return z.string(error).trim().min(1, error)
}

function integer(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`
  return z.preprocess(numberFrom, z.int(error).min(minimum, error).max(maximum, error))
}

function amount(maximum: number) {
  const error = `must be a number from 0 to ${maximum}`
  return z.preprocess(numberFrom, z.number(error).min(0, error).max(maximum, error))
}

function duration(minimum: number) {
  const error = `must be a time such as 90, 90s, 2m or 1h${minimum > 0 ? `, of ${minimum} s or more` : ''}`
  return z.preprocess(secondsFrom, z.number(error).min(minimum, error))
}

function choice<const Word extends string>(...words: readonly [Word, ...Word[]]) {
  return z.enum(words, `must be one of: ${words.join(', ')}`)
}

function list(expects: string, pattern = /\S/) {
  const error = `must be ${expects}`
  const items = z.array(z.string(error).regex(pattern, error), error)
  return z.preprocess((value) => (typeof value === 'string' ? splitList(value) : value), items)
}

function toggle() {
  const words = (value: unknown) => (typeof value === 'string' ? booleans[value.toLowerCase()] : value)
  return z.preprocess(words, z.boolean('must be true or false'))
}

const booleans: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, '1': true },
  ...{ false: false, no: false, off: false, '0': false },
}

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

function numberFrom(value: unknown): unknown {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

function secondsFrom(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(value.trim())
  return match ? Number(match[1]) * (secondsPerUnit[match[2] || 's'] ?? 1) : value
}
