import { pricesAsOf } from '../../../domain/claude-models.ts'
import { withSetting } from '../../config/config-text.ts'
import { CommandError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import type { Call } from '../command.ts'
import { askYesOrNo } from '../confirm.ts'
import { checkBackends, vendorPlaces } from '../doctor/check-backends.ts'
import { changeConfigFile } from './write-config.ts'

/** Says what a key of the Anthropic API costs, before it is asked for. */
export function explainApiKey({ shell }: Pick<Call, 'shell'>): void {
  const text = `The backend messages searches and writes with the Anthropic API, without the CLI and your login. Credits pay for it, by the vendor's list (${pricesAsOf}): $10 for 1,000 searches, and the tokens of the model; ${csp} status --days 7 shows what was spent. A key is made at https://platform.claude.com/settings/keys, and web search must be on for its organization.\n`
  shell.output.write(wrapped(text, shell.output))
}

/** Tries a key of the Anthropic API at `url`, which costs nothing. Throws a `CommandError` if it is not accepted. */
export async function tryApiKey({ loaded }: Pick<Call, 'loaded'>, key: string, url: string): Promise<void> {
  const trial = { ...loaded.config, backends: ['messages'] as const, anthropicApiKey: key, sandbox: false }
  const [finding] = await checkBackends(trial, { ...vendorPlaces, messages: url })
  if (finding?.status !== 'ok')
    throw new CommandError(`${finding?.message ?? 'The key could not be tried.'} Nothing was changed.`)
}

/** Offers to have the backend asked when those before it cannot, and returns what to say of it. */
export async function offerMessages(call: Call): Promise<readonly string[]> {
  const { backends } = call.loaded.config
  if (backends.some((name) => name === 'messages')) return []
  const all = [...backends, 'messages']
  const question = `Ask it when ${backends.join(', ')} cannot search?`
  const isWanted = await askYesOrNo(call.shell, question, { usual: 'yes' })
  if (isWanted === false) return []
  if (isWanted === undefined) return [`It is asked with: ${csp} config set backends ${all.join(',')}`]
  await changeConfigFile(call, (path, text) => withSetting(path, text, 'backends', all))
  const { backends: origin } = call.loaded.origins
  const wins = /^(?:CSP_|--)/.test(origin) ? [`${origin} is set here, and wins over the file: add messages to it.`] : []
  return [`The backends are ${all.join(', ')}.`, ...wins]
}
