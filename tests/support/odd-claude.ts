import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realClaude } from './real-claude.ts'

/**
 * Writes a program in the place of the CLI, for what the real one cannot be made to do. The script is for `sh`; `$claude`
 * is the real CLI.
 */
export function oddClaude(folder: string, script: string): string {
  const path = join(folder, 'claude')
  writeFileSync(path, `#!/bin/sh\nclaude='${realClaude}'\n${script}\n`, { mode: 0o755 })
  return path
}

/** The real CLI, but its help does not tell of these flags. */
export function withoutFlags(flags: readonly string[]): string {
  const hidden = flags.map((flag) => `-e 's/${flag}/--hidden/'`).join(' ')
  return `[ "$1" = --help ] && { "$claude" --help | sed ${hidden}; exit; }\nexec "$claude" "$@"`
}
