import { about, address, choice, choices, searchCommands, secret, text } from '../setting-types.ts'

/** The backends, by their names in the setting `backends`. */
export const backendNames = ['claude', 'searxng', 'brave', 'exa', 'tavily', 'serper', 'messages', 'remote'] as const
export type BackendName = (typeof backendNames)[number]

const backend = { commands: searchCommands, group: 'Backends' } as const

/** What searches. */
export const backendFields = {
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
      help: 'What searches, in order: claude, searxng, brave, exa, tavily, serper, messages, remote',
    }),
  searxngUrl: address('http://127.0.0.1:8080')
    .optional()
    .register(about, { ...backend, hint: 'URL', help: 'Address of the SearXNG instance for the backend searxng' }),
  braveApiKey: vendorKey('brave, the official Brave Search API'),
  exaApiKey: vendorKey('exa, the Exa API'),
  tavilyApiKey: vendorKey('tavily, the Tavily API'),
  serperApiKey: vendorKey('serper, Google by the Serper API'),
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
}

function vendorKey(backendAndVendor: string) {
  const help = `Key for the backend ${backendAndVendor}`
  return secret()
    .optional()
    .register(about, { ...backend, hint: 'KEY', help, secret: true, isFlag: false })
}
