import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { Call } from '../command.ts'
import { askYesOrNo } from '../confirm.ts'

/** How `csp setup openclaw` was called. */
export interface OpenClawCall extends Call {
  readonly options: {
    /** Where csp listens, if not as configured. */
    readonly url: string | undefined
    /** The configuration of OpenClaw, if not in its usual place. */
    readonly file: string | undefined
    /** By our plugin, not by OpenClaw's for Brave. */
    readonly plugin: boolean
    readonly print: boolean
    readonly undo: boolean
    readonly noSearch: boolean
    readonly yes: boolean
  }
}

/** Shows what would be written, and asks. `undefined` where nobody can be asked. */
export async function agree(
  { shell, options }: Pick<OpenClawCall, 'shell' | 'options'>,
  shown: string,
): Promise<boolean | undefined> {
  shell.output.write(shown)
  if (options.yes) return true
  const isAgreed = await askYesOrNo(shell, 'Write this? Comments in the file are not kept.', { usual: 'no' })
  if (isAgreed === false) shell.output.write('Nothing was changed.\n')
  return isAgreed
}

/** Replaces the file atomically, because OpenClaw watches it. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.csp-draft`
  writeFileSync(draft, text, { mode: existsSync(file) ? modeOf(file) : 0o600 })
  renameSync(draft, file)
}

/** The permissions of a file, for its copy. */
export function modeOf(file: string): number {
  return statSync(file).mode & 0o777
}
