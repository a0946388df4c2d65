import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { Call } from '../command.ts'
import { confirm } from '../confirm.ts'

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

/** Shows what would be written, and asks. */
export async function agree(
  { shell, options }: Pick<OpenClawCall, 'shell' | 'options'>,
  shown: string,
  instead: string,
): Promise<boolean> {
  shell.output.write(shown)
  if (options.yes) return true
  if (await confirm(shell, 'Write this? Comments in the file are not kept.', { usual: 'no', instead })) return true
  shell.output.write('Nothing was changed.\n')
  return false
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
