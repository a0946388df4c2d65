import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { versionOfCspAt } from '../../bun/server.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Shell } from '../../shell/shell.ts'
import { type Call, exitCodes } from '../command.ts'
import { wayTo } from './client-address.ts'
import {
  installCommand,
  type OpenClawWish,
  openClawCommands,
  openClawConfigPath,
  parseOpenClawConfig,
  withSearch,
} from './openclaw-config.ts'
import { tellMissingKey } from './report-missing-key.ts'
import { settingDiff } from './setting-diff.ts'

export interface OpenClawCall extends Call {
  readonly options: {
    /** Where csp listens, if not as configured. */
    readonly url: string | undefined
    /** The configuration of OpenClaw, if not in its usual place. */
    readonly file: string | undefined
    readonly print: boolean
    readonly undo: boolean
    readonly yes: boolean
  }
}

/** Makes csp the web search of the OpenClaw on this machine, or takes it back. Resolves to the exit code. */
export async function setupOpenClaw(invocation: OpenClawCall): Promise<number> {
  const { shell, loaded, options } = invocation
  const { url, key } = wayTo(loaded.config, options.url)
  const wish = { url, key: key ?? 'local', timeoutSeconds: loaded.config.timeout }
  if (!options.undo) await tellMissingKey(invocation, 'setup openclaw')
  if (options.print) return print(shell, wish)

  const path = options.file ?? openClawConfigPath(shell.environment)
  const isThere = existsSync(path)
  if (!isThere && !Bun.which('openclaw', { PATH: shell.environment['PATH'] ?? '' }))
    return tellMissing(shell, path, wish)
  const file = isThere ? realpathSync(path) : path
  if (options.undo) return undo(shell, file, options.yes)

  const text = isThere ? readFileSync(file, 'utf8') : ''
  const config = parseOpenClawConfig(text, file)
  const changed = withSearch(config, wish)
  const diff = settingDiff(config, changed)
  if (!diff) {
    shell.output.write(`OpenClaw searches with csp at ${url} already.\n`)
    return exitCodes.done
  }
  if (!(await agree(shell, file, diff, options.yes))) return exitCodes.done
  const backup = backupOf(file)
  // An older one is from before csp, and stays.
  if (isThere && !existsSync(backup)) writeFileSync(backup, text, { mode: modeOf(file) })
  writeWhole(file, `${JSON.stringify(changed, null, 2)}\n`)
  shell.output.write(existsSync(backup) ? `Written; the former file is ${backup}.\n` : 'Written.\n')
  shell.output.write(
    `If you have not yet:\n  ${installCommand}\nTry it:\n  openclaw infer web search --query hello --json\n`,
  )
  if (!(await versionOfCspAt(url))) shell.output.write(`csp does not answer at ${url} now: start it with csp serve.\n`)
  return exitCodes.done
}

async function undo(shell: Shell, file: string, isAgreed: boolean): Promise<number> {
  const backup = backupOf(file)
  if (!existsSync(backup)) throw new UsageError(`There is nothing to undo: ${backup} is not there.`)
  const text = readFileSync(backup, 'utf8')
  const now = existsSync(file) ? parseOpenClawConfig(readFileSync(file, 'utf8'), file) : {}
  const diff = settingDiff(now, parseOpenClawConfig(text, backup))
  if (!(await agree(shell, file, diff, isAgreed))) return exitCodes.done
  writeWhole(file, text)
  rmSync(backup)
  shell.output.write('The former file is back.\n')
  return exitCodes.done
}

async function agree(shell: Shell, file: string, diff: string, isAgreed: boolean): Promise<boolean> {
  shell.output.write(`${file}\n${diff}`)
  if (isAgreed) return true
  const reply = await shell.ask('Write this? Comments in the file are not kept. [y/N] ')
  if (reply === undefined) throw new UsageError('Nobody is there to be asked. --yes writes it, --print only shows how.')
  if (/^y(es)?$/i.test(reply.trim())) return true
  shell.output.write('Nothing was changed.\n')
  return false
}

function print(shell: Shell, wish: OpenClawWish): number {
  shell.output.write(`${openClawCommands(wish).join('\n')}\n`)
  return exitCodes.done
}

function tellMissing(shell: Shell, path: string, wish: OpenClawWish): number {
  shell.errors.write(`OpenClaw was not found: ${path} is not there, nor is openclaw on PATH. Where it is, run:\n`)
  print(shell, wish)
  return exitCodes.failed
}

function backupOf(file: string): string {
  return `${file}.before-csp`
}

/** OpenClaw watches the file, so it must never see half of it. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.csp-draft`
  writeFileSync(draft, text, { mode: existsSync(file) ? modeOf(file) : 0o600 })
  renameSync(draft, file)
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o777
}
