import { pricesAsOf } from '../../../domain/claude-models.ts'
import { messagesUrl } from '../../../executor/backends/messages/messages.ts'
import { withoutSetting, withSetting } from '../../config/config-text.ts'
import { fields } from '../../config/declarations/fields.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { wrap } from '../../shell/terminal.ts'
import { type Call, exitCodes } from '../command.ts'
import { changeConfigFile, runningHint } from '../config/change-config.ts'
import { checkBackends, vendorPlaces } from '../doctor/check-backends.ts'

/** A call of `csp setup credits`. */
export interface CreditsCall extends Call {
  readonly options: { readonly undo: boolean; readonly yes: boolean; readonly budget: number | undefined }
}

/**
 * Sets up the backend `messages`, which API credits pay for: takes a key from a terminal that does not show it, or from
 * standard input, tries it, and keeps it in the configuration file. `url`: where the API is.
 */
export async function setupCredits(call: CreditsCall, url: string = messagesUrl): Promise<number> {
  const { shell, loaded, options } = call
  const write = (text: string) => shell.output.write(`${text}\n`)
  if (options.undo) return undo(call, write)
  shell.output.write(`${explanation(loaded.path, call)}\n`)
  const key = await keyFrom(call)
  const trial = { ...loaded.config, backends: ['messages'] as const, anthropicApiKey: key, sandbox: false }
  const [finding] = await checkBackends(trial, { ...vendorPlaces, messages: url })
  if (finding?.status !== 'ok') {
    shell.errors.write(`${finding?.message ?? 'The key could not be tried.'} Nothing was changed.\n`)
    return exitCodes.failed
  }
  write('API key accepted.')
  const budget = await budgetFrom(call)
  const backends = [...new Set([...loaded.config.backends, 'messages'])]
  const isAuto = loaded.config.backends.some((name) => name === 'messages')
  await changeConfigFile(call, (path, text) => {
    const withKey = withSetting(path, text, 'anthropic-api-key', key)
    const withBackend = isAuto ? withKey : withSetting(path, withKey, 'backends', backends)
    return budget === undefined ? withBackend : withSetting(path, withBackend, 'daily-searches', budget)
  })
  write(
    `${loaded.path} has the key${isAuto ? '' : `, and the backends ${backends.join(', ')}: one is asked when those before it cannot`}.`,
  )
  for (const line of [...overrides(call, isAuto), ...(await runningHint(call))]) write(line)
  return exitCodes.done
}

function explanation(path: string, { shell }: Pick<Call, 'shell'>): string {
  const width = Math.min(shell.output.columns, 110)
  return [
    'The backend messages searches and writes with the Anthropic API, without the CLI and your login.',
    `API credits pay for it, by the vendor's list (${pricesAsOf}): $10 for 1,000 searches, and the tokens of the model.`,
    `${csp} status --days 7 shows what that came to.`,
    'A key is made at https://platform.claude.com/settings/keys, and web search must be on for its organization.',
    `It is kept in ${path}, which only you can read.`,
  ]
    .map((line) => `${wrap(line, width)}\n`)
    .join('')
}

/** Never an argument: other users of the machine can read a command line, and a shell keeps it. */
async function keyFrom({ shell }: Pick<Call, 'shell'>): Promise<string> {
  const typed = ((await shell.askSecret('API key (not shown): ')) ?? (await shell.input())).trim()
  if (!typed) throw new UsageError('No key was given. Nothing was changed.')
  const { error } = fields.shape.anthropicApiKey.safeParse(typed)
  if (error) throw new UsageError(`The key ${error.issues[0]?.message}. Nothing was changed.`)
  return typed
}

/** A limit for all backends together; `undefined` leaves it as it is. */
async function budgetFrom({ shell, loaded, options }: CreditsCall): Promise<number | undefined> {
  if (options.budget !== undefined || options.yes) return options.budget
  const now = loaded.config.dailySearches ?? 500
  const answer = (await shell.ask(`Searches a day at most, of all backends together (${now}): `))?.trim()
  if (!answer) return undefined
  if (!/^\d{1,9}$/.test(answer)) throw new UsageError(`${JSON.stringify(answer)} is not a number. Nothing was changed.`)
  return Number(answer)
}

/** What wins over the file in this terminal. */
function overrides({ loaded: { origins } }: Call, isAuto: boolean): readonly string[] {
  const [key, backends] = [origins.anthropicApiKey, origins.backends]
  return [
    ...(key.startsWith('CSP_') ? [`${key} is set in this terminal, and wins over the file.`] : []),
    ...(!isAuto && /^(?:CSP_|--)/.test(backends)
      ? [`${backends} is set here, and wins over the file: add messages to it.`]
      : []),
  ]
}

async function undo(call: CreditsCall, write: (text: string) => void): Promise<number> {
  const { loaded } = call
  const left = loaded.config.backends.filter((name) => name !== 'messages')
  const isInFile = loaded.origins.backends.startsWith(loaded.path) && left.length < loaded.config.backends.length
  await changeConfigFile(call, (path, text) => {
    const without = withoutSetting(path, text, 'anthropic-api-key')
    if (!isInFile) return without
    return left.length > 0 ? withSetting(path, without, 'backends', left) : withoutSetting(path, without, 'backends')
  })
  write(`${loaded.path} has no key of the API any more.`)
  for (const line of await runningHint(call)) write(line)
  return exitCodes.done
}
