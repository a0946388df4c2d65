import { about, address, choice, choices, integer, list, searchCommands, secret, text } from '../setting-types.ts'

/** Backends that need nothing. `auto` leaves them out: whoever names one sends questions to a third party. */
const freeBackends = ['parallel-free', 'exa-free'] as const

const keyedBackends = ['claude', 'searxng', 'brave', 'exa', 'tavily', 'serper', 'messages', 'remote'] as const

/** The backends, by their names in the setting `backends`. */
export const backendNames = [...keyedBackends, ...freeBackends] as const
export type BackendName = (typeof backendNames)[number]

/** The setting that sets up each backend other than Claude, in the order in which `auto` asks them. */
export const backendSettings = {
  brave: 'braveApiKey',
  exa: 'exaApiKey',
  tavily: 'tavilyApiKey',
  serper: 'serperApiKey',
  searxng: 'searxngUrl',
  messages: 'anthropicApiKey',
  remote: 'remoteUrl',
} as const satisfies Readonly<Record<Exclude<BackendName, 'claude' | (typeof freeBackends)[number]>, string>>

/** A backend that can write over known pages, or a model of the gateway with its upstream. */
const writer = /^(?:claude|messages|[a-z0-9][a-z0-9.-]*\/\S+)$/i

const backend = { commands: searchCommands, group: 'Backends' } as const

/** The backends and what they need. */
export const backendFields = {
  auth: choice('subscription', 'api-key')
    .default('subscription')
    .register(about, {
      ...backend,
      hint: 'subscription|api-key',
      help: 'Pay with your Claude login, or with ANTHROPIC_API_KEY',
    }),
  claudeBin: text('the path of the Claude Code CLI')
    .optional()
    .register(about, {
      ...backend,
      hint: 'PATH',
      help: 'The Claude Code CLI, if not on PATH',
      commands: [...backend.commands, 'demo'],
    }),
  backends: choices([...backendNames, 'auto'])
    .default(['claude'])
    .register(about, {
      ...backend,
      hint: 'NAMES',
      help: `In order: ${keyedBackends.join(', ')}, …; or auto`,
    }),
  writers: list('some of claude, messages and models of the gateway such as ollama/qwen3', writer, 1)
    .optional()
    .register(about, {
      ...backend,
      hint: 'NAMES',
      help: 'Writers of answers, tried in this order: claude, messages, ollama/qwen3, …',
    }),
  merge: integer(1, 10)
    .default(1)
    .register(about, {
      ...backend,
      hint: 'N',
      help: 'Backends that search at once for one list; each search counts',
    }),
  searxngUrl: address('http://127.0.0.1:8080')
    .optional()
    .register(about, { ...backend, hint: 'URL', help: 'Address of your SearXNG, for the backend searxng' }),
  braveApiKey: vendorKey('brave, the official Brave Search API', 'BRAVE_API_KEY'),
  exaApiKey: vendorKey('exa, the Exa API', 'EXA_API_KEY'),
  tavilyApiKey: vendorKey('tavily, the Tavily API', 'TAVILY_API_KEY'),
  serperApiKey: vendorKey('serper, Google by the Serper API', 'SERPER_API_KEY'),
  anthropicApiKey: secret()
    .optional()
    .register(about, {
      ...backend,
      hint: 'KEY',
      help: 'Key of the Anthropic API, for the backend messages; it bills each call',
      secret: true,
      isFlag: false,
    }),
  remoteUrl: address('https://csp.example.org')
    .optional()
    .register(about, { ...backend, hint: 'URL', help: 'Address of another csp, for the backend remote' }),
  remoteKey: secret()
    .optional()
    .register(about, {
      ...backend,
      hint: 'KEY',
      help: 'Key that the other csp made, for the backend remote',
      secret: true,
      isFlag: false,
    }),
}

function vendorKey(backendAndVendor: string, theirs: string) {
  const help = `Key for the backend ${backendAndVendor}`
  return secret()
    .optional()
    .register(about, { ...backend, hint: 'KEY', help, theirs, secret: true, isFlag: false })
}
