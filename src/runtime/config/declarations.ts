import { z } from 'zod'
import { isHomeName, minSecretLength } from '../../tunnel/login.ts'
import {
  about,
  address,
  amount,
  choice,
  choices,
  duration,
  integer,
  list,
  modelMap,
  secret,
  text,
  textFile,
  toggle,
} from './setting-types.ts'

/** The backends, by their names in the setting `backends`. */
export const backendNames = ['claude', 'searxng', 'brave', 'messages', 'remote'] as const
export type BackendName = (typeof backendNames)[number]
const serving = { group: 'Server', commands: [] } as const
const searching = { group: 'Searching', commands: ['connect', 'search', 'ask', 'mcp'] } as const
const scheduling = { group: 'Searching', commands: ['connect'] } as const
const caching = { ...searching, group: 'Cache' } as const
const spending = { group: 'Spending', commands: ['connect'] } as const
const backend = { ...searching, group: 'Backends' } as const
const tunnel = { group: 'Tunnel', commands: ['connect'] } as const
const other = { ...searching, group: 'Other' } as const
const logging = { ...other, commands: [...other.commands, 'demo'] } as const

/** Every setting, declared once, in the order in which help and docs show them, group by group. */
export const fields = z.object({
  host: text('an address, such as 127.0.0.1')
    .default('127.0.0.1')
    .register(about, {
      ...serving,
      hint: 'ADDRESS',
      help: 'Address to listen on; beyond loopback only with keys',
      commands: ['status'],
    }),
  port: integer(0, 65_535)
    .default(52_480)
    .register(about, {
      ...serving,
      hint: 'PORT',
      help: 'Port to listen on; 0 takes a free one',
      commands: ['status', 'setup'],
    }),
  apiKeys: list('keys without spaces, with commas between them', /^[\x21-\x7e]+$/)
    .default([])
    .register(about, {
      ...serving,
      hint: 'KEYS',
      help: 'Keys that clients must send, separated by commas',
      commands: ['status', 'setup'],
      secret: true,
    }),
  allowedHosts: list('host names with commas between them')
    .default([])
    .register(about, { ...serving, hint: 'HOSTS', help: 'Host names that clients may use besides loopback' }),
  allowedOrigins: list('origins, such as https://example.org, with commas between them', /^https?:\/\/[^/]+$/)
    .default([])
    .register(about, { ...serving, hint: 'ORIGINS', help: 'Web origins that may call from a browser' }),
  model: text('a model name, such as sonnet')
    .default('sonnet')
    .register(about, {
      ...searching,
      hint: 'MODEL',
      help: 'Model that does the work: sonnet, haiku, opus or a full name',
    }),
  excerpts: choice('lines', 'none')
    .default('lines')
    .register(about, { ...searching, hint: 'lines|none', help: 'Ask for an excerpt of each page; none saves tokens' }),
  instructions: textFile().register(about, { ...searching, hint: 'FILE', help: 'File of instructions for answers' }),
  concurrency: integer(1, 100)
    .default(3)
    .register(about, { ...scheduling, hint: 'N', help: 'Searches that run at the same time' }),
  queue: integer(0, 100_000)
    .default(100)
    .register(about, { ...scheduling, hint: 'N', help: 'Searches that may wait; more are rejected' }),
  rate: amount(1000)
    .default(2)
    .register(about, { ...scheduling, hint: 'N', help: 'Searches that may start in a second; 0 for no limit' }),
  timeout: duration(1)
    .default(120)
    .register(about, {
      ...searching,
      hint: 'TIME',
      help: 'Longest time for one search: 90, 90s, 2m',
      commands: [...searching.commands, 'demo', 'setup'],
    }),
  maxSessionSearches: integer(1, 10_000)
    .default(20)
    .register(about, { ...scheduling, hint: 'N', help: 'Searches before a worker is replaced' }),
  sessionContext: choice('clear', 'keep')
    .default('clear')
    .register(about, { ...scheduling, hint: 'clear|keep', help: 'Whether a worker forgets a search before the next' }),
  idleTime: duration(0)
    .default(300)
    .register(about, {
      ...scheduling,
      hint: 'TIME',
      help: 'How long the CLI stays started without work; 0 for always, at 300 MB of memory',
    }),
  cacheTtl: duration(0)
    .default(3600)
    .register(about, { ...caching, hint: 'TIME', help: 'How long an answer is kept: 1h; 0 keeps none' }),
  cacheStale: duration(0)
    .default(86_400)
    .register(about, { ...caching, hint: 'TIME', help: 'How much longer an answer may replace a search that fails' }),
  cacheScope: choice('all', 'key')
    .default('all')
    .register(about, { ...caching, hint: 'all|key', help: 'Whether all keys share answers, or each key has its own' }),
  cacheDir: text('a folder')
    .optional()
    .register(about, {
      ...caching,
      hint: 'FOLDER',
      help: 'Folder of the answer cache',
      commands: [...caching.commands, 'cache'],
      defaultText: '~/.cache/csp',
    }),
  stateDir: text('a folder')
    .optional()
    .register(about, {
      ...spending,
      hint: 'FOLDER',
      help: 'Folder of the ledger, which records what was spent',
      commands: [...searching.commands, 'usage'],
      defaultText: '~/.local/state/csp',
    }),
  minuteSearches: integer(0, 1_000_000)
    .default(0)
    .register(about, { ...spending, hint: 'N', help: 'Searches that may start within a minute; 0 for no limit' }),
  dailySearches: integer(0, 1_000_000_000)
    .optional()
    .register(about, {
      ...spending,
      hint: 'N',
      help: 'Searches in a UTC day; 0 for no limit',
      defaultText: '500',
      commands: ['connect', 'usage'],
    }),
  dailyTokens: integer(0, 1_000_000_000_000)
    .default(0)
    .register(about, {
      ...spending,
      hint: 'N',
      help: 'Tokens in a UTC day, as far as backends report them; 0 for no limit',
      commands: ['connect', 'usage'],
    }),
  auth: choice('subscription', 'api-key')
    .default('subscription')
    .register(about, { ...backend, hint: 'subscription|api-key', help: 'What pays: your login, or ANTHROPIC_API_KEY' }),
  claudeBin: text('the path of the Claude Code CLI')
    .optional()
    .register(about, {
      ...backend,
      hint: 'PATH',
      help: 'The Claude Code CLI, if not on PATH',
      commands: [...backend.commands, 'demo'],
    }),
  backends: choices(backendNames)
    .default(['claude'])
    .register(about, {
      ...backend,
      hint: 'NAMES',
      help: 'What searches, in order: claude, searxng, brave, messages, remote',
    }),
  searxngUrl: address('http://127.0.0.1:8080')
    .optional()
    .register(about, { ...backend, hint: 'URL', help: 'Address of the SearXNG instance for the backend searxng' }),
  braveApiKey: secret()
    .optional()
    .register(about, {
      ...backend,
      hint: 'KEY',
      help: 'Key for the backend brave, the official Brave Search API',
      secret: true,
      isFlag: false,
    }),
  anthropicApiKey: secret()
    .optional()
    .register(about, {
      ...backend,
      hint: 'KEY',
      help: 'Key for the backend messages, the Anthropic API, which bills it',
      secret: true,
      isFlag: false,
    }),
  messagesModel: text('a model name, such as haiku')
    .optional()
    .register(about, { ...backend, hint: 'MODEL', help: 'Model of the backend messages, if other than --model' }),
  remoteUrl: address('https://csp.example.org')
    .optional()
    .register(about, { ...backend, hint: 'URL', help: 'Address of the csp for the backend remote' }),
  remoteKey: secret()
    .optional()
    .register(about, {
      ...backend,
      hint: 'KEY',
      help: 'Key for the backend remote, made by that csp',
      secret: true,
      isFlag: false,
    }),
  connectUrl: address('https://csp-edge.example.org')
    .optional()
    .register(about, {
      ...tunnel,
      hint: 'URL',
      help: 'The edge that csp serve also connects to; csp connect takes it as its argument',
    }),
  connectName: z
    .string()
    .refine(isHomeName, 'must be up to 64 letters, digits, dots, dashes and underscores')
    .optional()
    .register(about, { ...tunnel, hint: 'NAME', help: 'Name of this machine at the edge, if not its host name' }),
  connectSecret: secret()
    .min(minSecretLength, `must have ${minSecretLength} characters or more`)
    .optional()
    .register(about, {
      ...tunnel,
      hint: 'SECRET',
      help: 'Signs the login at the edge, which has the same secret',
      secret: true,
      isFlag: false,
    }),
  connectSecretFile: text('a file')
    .optional()
    .register(about, { ...tunnel, hint: 'FILE', help: 'A file that holds the connect-secret' }),
  sandbox: toggle()
    .default(false)
    .register(about, { ...other, help: 'Use the built-in stand-in: invented results, no account' }),
  logLevel: choice('debug', 'info', 'warning', 'error', 'silent')
    .default('info')
    .register(about, { ...logging, hint: 'LEVEL', help: 'debug, info, warning, error or silent' }),
  logFormat: choice('text', 'json', 'simple')
    .default('text')
    .register(about, { ...logging, hint: 'FORMAT', help: 'text, json with all fields, or simple: text without time' }),
  models: modelMap()
    .default({})
    .register(about, {
      ...other,
      hint: 'MAP',
      help: 'What the model names of clients stand for',
      isFlag: false,
      isVariable: false,
    }),
})
