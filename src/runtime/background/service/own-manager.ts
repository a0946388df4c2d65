import type { Environment } from '../../shell/shell.ts'
import { type CommandRunner, createCommandRunner } from './command-runner.ts'
import { createLaunchd } from './launchd.ts'
import type { ServiceManager } from './service-manager.ts'
import { createSystemd } from './systemd.ts'

/** The manager of services of this system; `undefined` if csp knows none. */
export function ownServiceManager(
  environment: Environment,
  run: CommandRunner = createCommandRunner(environment),
): ServiceManager | undefined {
  if (process.platform === 'linux') return createSystemd(run, environment)
  if (process.platform === 'darwin') return createLaunchd(run, environment, process.getuid?.() ?? 0)
  return undefined
}
