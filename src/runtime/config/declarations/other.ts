import { sandboxOrPace } from '../pace-setting.ts'
import { about, choice, modelMap, searchCommands } from '../setting-types.ts'

const other = { commands: searchCommands, group: 'Other' } as const
const logging = { ...other, commands: [...other.commands, 'demo', 'fetch', 'verify', 'receipt'] } as const

/** The sandbox, logs and model names. */
export const otherFields = {
  sandbox: sandboxOrPace()
    .default(false)
    .register(about, {
      ...other,
      commands: [...other.commands, 'run', 'demo'],
      help: 'Use sample pages in place of the web, without an account; =real: at real speed',
    }),
  logLevel: choice('debug', 'info', 'warning', 'error', 'silent')
    .default('info')
    .register(about, { ...logging, hint: 'LEVEL', help: 'Lowest level to log: debug, info, warning, error or silent' }),
  logFormat: choice('text', 'json', 'simple')
    .default('text')
    .register(about, {
      ...logging,
      hint: 'FORMAT',
      help: 'Form of the log: text, json with all fields, or simple (text without the time)',
    }),
  models: modelMap()
    .default({})
    .register(about, {
      ...other,
      hint: 'MAP',
      help: 'Map the model names of clients to models and efforts',
      isFlag: false,
      isVariable: false,
    }),
}
