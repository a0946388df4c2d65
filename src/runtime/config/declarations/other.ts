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
      help: 'Sample pages in place of the web, without an account; =real: at real speed',
    }),
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
      help: 'What the model names of clients are mapped to',
      isFlag: false,
      isVariable: false,
    }),
}
