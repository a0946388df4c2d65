import type { SettingName } from './config-schema.ts'

/** How one setting is named outside, and described. */
export interface Setting {
  readonly name: SettingName
  /** Without dashes; also the key in the configuration file. */
  readonly flag: string
  /** Absent where only the file can say it. */
  readonly variable?: string | undefined
  /** Stands for the value in help; absent for a switch. */
  readonly hint?: string | undefined
  readonly help: string
  /** Never shown. */
  readonly secret: boolean
  /** Whether it can be a flag. What stands on a command line is seen by everyone on the machine. */
  readonly isFlag: boolean
}

/** All settings, in the order that help shows them. */
export const settings: readonly Setting[] = [
  setting('host', 'ADDRESS', 'Address to listen on; off loopback only with keys'),
  setting('port', 'PORT', 'Port to listen on; 0 takes a free one'),
  setting('apiKeys', 'KEYS', 'Keys that clients must send, with commas between them'),
  setting('allowedHosts', 'HOSTS', 'Host names that clients may use besides loopback'),
  setting('allowedOrigins', 'ORIGINS', 'Web origins that may call from a browser'),
  setting('model', 'MODEL', 'Model that does the work: sonnet, haiku, opus or a full name'),
  setting('excerpts', 'lines|none', 'Ask for an excerpt of each page; none saves tokens'),
  setting('concurrency', 'N', 'Searches at the same time'),
  setting('queue', 'N', 'Searches that may wait; more are told to come back'),
  setting('rate', 'N', 'Searches begun in a second; 0 for no limit'),
  setting('timeout', 'TIME', 'Longest time for one search: 90, 90s, 2m'),
  setting('maxSessionSearches', 'N', 'Searches before a worker is replaced'),
  setting('sessionContext', 'clear|keep', 'Whether a worker forgets between two searches'),
  setting('cacheTtl', 'TIME', 'How long an answer is kept: 1h; 0 keeps none'),
  setting('cacheStale', 'TIME', 'How much longer it may stand in for a search that fails'),
  setting('cacheDir', 'FOLDER', 'Where answers are kept'),
  setting('stateDir', 'FOLDER', 'Where it is written down what was spent'),
  setting('minuteSearches', 'N', 'Searches that may begin within a minute; 0 for no limit'),
  setting('dailySearches', 'N', 'Searches of a UTC day; 0 for no limit'),
  setting('dailyTokens', 'N', 'Tokens of a UTC day, as far as they are told; 0 for no limit'),
  setting('auth', 'subscription|api-key', 'What pays: your login, or ANTHROPIC_API_KEY'),
  setting('claudeBin', 'PATH', 'The Claude Code CLI, if not on PATH'),
  setting('backends', 'NAMES', 'What searches, in order: claude, searxng, brave, messages, remote'),
  setting('searxngUrl', 'URL', 'Of the SearXNG instance behind searxng'),
  { ...setting('braveApiKey', 'KEY', 'For brave, the official Brave Search API'), isFlag: false },
  { ...setting('anthropicApiKey', 'KEY', 'For messages, the Anthropic API; billed to that key'), isFlag: false },
  setting('messagesModel', 'MODEL', 'Model of messages, if other than --model'),
  setting('remoteUrl', 'URL', 'Of the csp behind remote'),
  { ...setting('remoteKey', 'KEY', 'For remote, a key of that csp'), isFlag: false },
  setting('connectUrl', 'URL', 'The edge that csp serve connects to as well; csp connect takes it as its argument'),
  setting('connectName', 'NAME', 'What the edge calls this machine, if not by its host name'),
  { ...setting('connectSecret', 'SECRET', 'What signs the login at the edge; the same as there'), isFlag: false },
  setting('connectSecretFile', 'FILE', 'A file that holds the connect-secret'),
  setting('sandbox', undefined, 'Use the built-in stand-in: invented results, no account'),
  setting('logLevel', 'LEVEL', 'debug, info, warning, error or silent'),
  { ...setting('models', 'MAP', 'What model names of clients stand for'), variable: undefined, isFlag: false },
]

function setting(name: SettingName, hint: string | undefined, help: string): Setting {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const variable = `CSP_${flag.toUpperCase().replaceAll('-', '_')}`
  return { name, flag, variable, hint, help, secret: /(apiKeys?|remoteKey|connectSecret)$/i.test(name), isFlag: true }
}
