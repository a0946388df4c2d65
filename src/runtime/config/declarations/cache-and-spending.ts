import { about, choice, duration, integer, percent, searchCommands, text } from '../setting-types.ts'

const caching = { commands: searchCommands, group: 'Cache' } as const
const spending = { group: 'Spending', commands: ['connect'] } as const

/** The cache, the state folder and the limits. */
export const cacheAndSpendingFields = {
  cacheTtl: duration(0)
    .default(3600)
    .register(about, {
      ...caching,
      hint: 'TIME',
      help: 'Keep answers and pages in the cache for this long: 1h; 0 = no cache',
      commands: [...caching.commands, 'fetch', 'verify', 'receipt'],
    }),
  cacheScope: choice('all', 'key')
    .default('all')
    .register(about, {
      ...caching,
      hint: 'all|key',
      help: 'Share cached answers between all keys, or keep them apart for each key',
    }),
  stateDir: text('a folder')
    .optional()
    .register(about, {
      ...spending,
      hint: 'FOLDER',
      help: 'Folder for logs, for what was spent, and for the state of the running csp',
      commands: [...searchCommands, 'receipt', 'memory', 'jobs', 'status', 'stop', 'logs'],
      defaultText: '~/.local/state/csp',
    }),
  dailySearches: integer(0, 1_000_000_000)
    .optional()
    .register(about, {
      ...spending,
      hint: 'N',
      help: 'Most searches in a UTC day; 0 = unlimited',
      defaultText: '500',
      commands: ['connect', 'status'],
    }),
  dailyTokens: integer(0, 1_000_000_000_000)
    .default(0)
    .register(about, {
      ...spending,
      hint: 'N',
      help: 'Most tokens in a UTC day, as far as backends report them; 0 = unlimited',
      commands: ['connect', 'status'],
    }),
  planReserve: percent(90)
    .default(10)
    .register(about, {
      ...spending,
      hint: 'PERCENT',
      help: "Keep this part of each limit of Claude's plan for yourself: 20%; 0 = nothing",
      defaultText: '10%',
    }),
  planOnly: choice('on', 'off')
    .default('on')
    .register(about, {
      ...spending,
      hint: 'on|off',
      help: 'Stop Claude before a search would be billed as extra usage, beyond the plan',
    }),
}
