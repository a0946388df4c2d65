import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requiredFlags } from '../../src/executor/backends/claude/cli/launch.ts'

/** Writes a CLI that is signed out, and whose login ends with this line of a shell, and returns its path. */
export function stoppedLogin(folder: string, end: string): string {
  const path = join(folder, 'claude')
  const script = `#!/bin/sh
case "$*" in
*--version*) echo '2.1.328 (Claude Code)' ;;
*--help*) echo '${requiredFlags.join(' ')}' ;;
*'auth status'*) echo '{"loggedIn":false}'; exit 1 ;;
*'auth login'*) ${end} ;;
esac
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}
