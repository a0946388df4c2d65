import type { LoadedConfig } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { claudeBinary } from '../server/claude-cli.ts'
import { aboutFetch, fetchClaude, fetchedClaudeFolder } from '../server/fetched-claude.ts'
import type { Environment, Shell } from '../shell/shell.ts'
import { safeLine } from '../shell/terminal.ts'
import { askYesOrNo } from './confirm.ts'

/** Where a missing CLI would be fetched to; `undefined` if it cannot be. A path that somebody has set is theirs to mend. */
export function folderToFetchInto(
  { claudeBin }: Pick<Config, 'claudeBin'>,
  environment: Environment,
): string | undefined {
  return claudeBin ? undefined : fetchedClaudeFolder(environment)
}

/**
 * Where no Claude Code CLI is found, says what would be fetched, asks, and has npm fetch it. Nothing is fetched without a
 * yes. Resolves to whether there is one now.
 */
export async function offerClaude(
  { config }: Pick<LoadedConfig, 'config'>,
  shell: Pick<Shell, 'environment' | 'ask'>,
  yes: boolean,
  say: (text: string) => void,
): Promise<boolean> {
  const folder = folderToFetchInto(config, shell.environment)
  if (!folder) return false
  const about = aboutFetch(folder)
  if (!yes && (await askYesOrNo(shell, `The Claude Code CLI is missing. Fetch ${about}?`, { usual: 'yes' })) !== true)
    return false
  say(`Fetching ${about}. This takes a minute.`)
  const problem = await fetchClaude(folder, shell.environment)
  if (problem) say(`It could not be fetched: ${safeLine(problem)}`)
  return !problem && claudeBinary(config, shell.environment) !== undefined
}
