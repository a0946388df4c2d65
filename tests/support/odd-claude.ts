import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { standInClaude } from './quick-claude.ts'

/**
 * Writes a program in the place of the CLI, for what the real one cannot be made to do. The script is for `sh`; `$claude`
 * is the CLI, by default its stand-in.
 */
export function oddClaude(folder: string, script: string, claude = standInClaude()): string {
  const path = join(folder, 'claude')
  writeFileSync(path, `#!/bin/sh\nclaude='${claude}'\n${script}\n`, { mode: 0o755 })
  return path
}

/** The CLI, but its help does not tell of these flags. */
export function withoutFlags(flags: readonly string[]): string {
  const hidden = flags.map((flag) => `-e 's/${flag}/--hidden/'`).join(' ')
  return `[ "$1" = --help ] && { "$claude" --help | sed ${hidden}; exit; }\nexec "$claude" "$@"`
}
