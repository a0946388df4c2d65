import { z } from 'zod'
import { isHomeName, minimumSecretLength } from '../../tunnel/login.ts'

/** What can search, by the names that the setting `backends` has for it. */
export const backendNames = ['claude', 'searxng', 'brave', 'messages', 'remote'] as const

export type BackendName = (typeof backendNames)[number]

const chain = `must be some of ${backendNames.join(', ')}, each once, with commas between them`

/** An address of a server, with or without a path, and with no name or password in it. */
export const plainAddress = /^https?:\/\/[^\s/@?#]+(?:\/[^\s@?#]*)?$/i

/** Every setting of csp, checked. Times are in seconds. */
export type Config = Readonly<z.output<typeof configSchema>>

export type SettingName = keyof Config

/** Takes text, as flags and variables give it, and JSON, as the file does. Messages complete "NAME …". */
const fields = z.object({
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
  cacheStale: duration(0).default(86_400),
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
  backends: z
    .preprocess(
      (value) => (typeof value === 'string' ? splitList(value) : value),
      z.array(z.enum(backendNames, chain), chain).min(1, chain).refine(isDistinct, chain),
    )
    .default(['claude']),
  searxngUrl: text('an address').regex(plainAddress, 'must be an address such as http://127.0.0.1:8080').optional(),
  braveApiKey: secret().optional(),
  anthropicApiKey: secret().optional(),
  messagesModel: text('a model name, such as haiku').optional(),
  remoteUrl: text('an address').regex(plainAddress, 'must be an address such as https://csp.example.org').optional(),
  remoteKey: secret().optional(),
  connectUrl: text('an address')
    .regex(plainAddress, 'must be an address such as https://csp-edge.example.org')
    .optional(),
  connectName: z
    .string()
    .refine(isHomeName, 'must be up to 64 letters, digits, dots, dashes and underscores')
    .optional(),
  connectSecret: secret().min(minimumSecretLength, `must have ${minimumSecretLength} characters or more`).optional(),
  connectSecretFile: text('a file').optional(),
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

export const configSchema = fields.superRefine((config, context) => {
  for (const message of missing(config)) context.addIssue({ code: 'custom', message })
})

/** What a backend that is named cannot do without. On the sandbox no key is needed. */
function missing({ backends, sandbox, ...config }: z.output<typeof fields>) {
  const { searxngUrl, braveApiKey, anthropicApiKey, remoteUrl } = config
  const has = {
    claude: true,
    searxng: searxngUrl,
    brave: braveApiKey,
    messages: anthropicApiKey || sandbox,
    remote: remoteUrl,
  }
  return backends.filter((name) => !has[name]).map((name) => `The backend ${name} needs ${needs[name]}`)
}

const needs: Readonly<Record<BackendName, string>> = {
  claude: 'nothing',
  searxng: 'the address of an instance: set --searxng-url (CSP_SEARXNG_URL), such as http://127.0.0.1:8080.',
  brave: 'a key: set CSP_BRAVE_API_KEY.',
  remote: 'the address of another csp: set --remote-url (CSP_REMOTE_URL), such as https://csp.example.org.',
  messages: 'a key of its own: set CSP_ANTHROPIC_API_KEY. ANTHROPIC_API_KEY is never read for it.',
}

function secret() {
  const error = 'must be a key without spaces'
  return z
    .string(error)
    .trim()
    .regex(/^[\x21-\x7e]+$/, error)
}

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

function isDistinct(items: readonly unknown[]): boolean {
  return new Set(items).size === items.length
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
