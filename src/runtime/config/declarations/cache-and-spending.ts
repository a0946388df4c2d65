import { about, choice, duration, integer, percent, searchCommands, text } from '../setting-types.ts'

const caching = { commands: searchCommands, group: 'Cache' } as const
const spending = { group: 'Spending', commands: ['connect'] } as const

/** What is kept, and what may be spent. */
export const cacheAndSpendingFields = {
  cacheTtl: duration(0)
    .default(3600)
    .register(about, {
      ...caching,
      hint: 'TIME',
      help: 'How long an answer or a page is kept: 1h; 0 keeps none',
      commands: [...caching.commands, 'fetch', 'verify', 'receipt'],
    }),
  cacheScope: choice('all', 'key')
    .default('all')
    .register(about, { ...caching, hint: 'all|key', help: 'Whether all keys share answers, or each key has its own' }),
  stateDir: text('a folder')
    .optional()
    .register(about, {
      ...spending,
      hint: 'FOLDER',
      help: 'Folder of the ledger of what was spent, of logs, and of what says which csp runs',
      commands: [...searchCommands, 'receipt', 'memory', 'jobs', 'status', 'stop', 'logs'],
      defaultText: '~/.local/state/csp',
    }),
  dailySearches: integer(0, 1_000_000_000)
    .optional()
    .register(about, {
      ...spending,
      hint: 'N',
      help: 'Searches in a UTC day; 0 = unlimited',
      defaultText: '500',
      commands: ['connect', 'status'],
    }),
  dailyTokens: integer(0, 1_000_000_000_000)
    .default(0)
    .register(about, {
      ...spending,
      hint: 'N',
      help: 'Tokens in a UTC day, as far as backends report them; 0 = unlimited',
      commands: ['connect', 'status'],
    }),
  planReserve: percent(90)
    .default(10)
    .register(about, {
      ...spending,
      hint: 'PERCENT',
      help: "Part of each limit of Claude's plan that is kept for you: 20%; 0 keeps nothing",
      defaultText: '10%',
    }),
  planOnly: choice('on', 'off')
    .default('on')
    .register(about, {
      ...spending,
      hint: 'on|off',
      help: 'Whether Claude stops where a search would be paid as extra usage, beyond the plan',
    }),
}
