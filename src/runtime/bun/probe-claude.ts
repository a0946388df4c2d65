import { type ClaudeProbe, probe } from '../../executor/backends/claude/cli/probe.ts'
import type { LoadedConfig } from '../config/config.ts'
import type { Environment } from '../shell/shell.ts'
import { claudeBinary } from './claude-binary.ts'
import { openScratch } from './scratch.ts'

/** Looks at the CLI that a search would use, without making one. */
export async function probeClaude(config: LoadedConfig['config'], environment: Environment): Promise<ClaudeProbe> {
  const scratch = openScratch()
  const look = (from: Environment) =>
    probe({
      binary: claudeBinary(config, environment),
      environment: from,
      workingDirectory: scratch.folder('work'),
      auth: config.auth,
    })
  try {
    if (!config.sandbox) return await look(environment)
    const { serveSandbox } = await import('./serve-sandbox.ts')
    const sandbox = serveSandbox(environment, scratch.folder('home'))
    try {
      return await look(sandbox.environment)
    } finally {
      await sandbox.stop()
    }
  } finally {
    scratch.remove()
  }
}
