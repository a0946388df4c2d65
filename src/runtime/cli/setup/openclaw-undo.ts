import { existsSync, readFileSync, rmSync } from 'node:fs'
import { UsageError } from '../../config/usage-error.ts'
import { backupOf } from '../clients/client-file.ts'
import { settingDiff } from '../clients/setting-diff.ts'
import { exitCodes } from '../command.ts'
import { parseOpenClawConfig, withSearchOf } from './openclaw-config.ts'
import { agree, type OpenClawCall, writeWhole } from './openclaw-file.ts'
import { installedPluginFolder, type OpenClawProgram } from './openclaw-program.ts'

/**
 * Has OpenClaw search as it did before csp. What else has changed in its file since stays; where nothing has, the former
 * file is restored with its comments.
 */
export async function undoOpenClaw(
  call: OpenClawCall,
  file: string,
  program: OpenClawProgram | undefined,
): Promise<number> {
  const { shell } = call
  const backup = backupOf(file)
  if (!existsSync(backup)) throw new UsageError(`Nothing to undo: ${backup} does not exist.`)
  const text = readFileSync(backup, 'utf8')
  const former = parseOpenClawConfig(text, backup)
  const present = () => (existsSync(file) ? parseOpenClawConfig(readFileSync(file, 'utf8'), file) : {})
  const diff = settingDiff(present(), withSearchOf(present(), former))
  const isAgreed = await agree(call, `${file}\n${diff}`)
  if (isAgreed === undefined) throw new UsageError('Not a terminal: cannot prompt. --yes undoes it without asking.')
  if (!isAgreed) return exitCodes.done
  // With its settings gone OpenClaw would load it all the same.
  const isLeft = existsSync(installedPluginFolder(shell.environment)) && !hasPlugin(former)
  const isRemoved = isLeft && program && (await program.run(...uninstallWords, '--force')).code === 0
  const restored = withSearchOf(present(), former)
  const isSame = settingDiff(restored, former) === ''
  writeWhole(file, isSame ? text : `${JSON.stringify(restored, null, 2)}\n`)
  rmSync(backup)
  shell.output.write(isSame ? 'The former file is restored.\n' : 'The former settings for searching are restored.\n')
  if (isLeft && !isRemoved) shell.output.write(`The plugin is still there: openclaw ${uninstallWords.join(' ')}\n`)
  return exitCodes.done
}

const uninstallWords = ['plugins', 'uninstall', 'csp']

function hasPlugin(config: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(config['plugins'] ?? {}).includes('"csp"')
}
