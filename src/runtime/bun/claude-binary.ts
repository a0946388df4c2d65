import { join } from 'node:path'
import { findClaude } from '../../executor/backends/claude/cli/launch.ts'
import type { Config } from '../config/settings.ts'
import type { Environment } from '../shell/shell.ts'

/** Where the CLI is: what the settings name, else the one on PATH, else the one among csp's own dependencies. */
export function claudeBinary({ claudeBin }: Pick<Config, 'claudeBin'>, environment: Environment): string | undefined {
  return findClaude({ ...environment, CSP_CLAUDE_BIN: claudeBin }, [join(import.meta.dir, '..', '..', '..')])
}
