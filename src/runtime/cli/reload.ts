import type { Composition } from '../bun/composition.ts'
import { planReload, type ReloadPlan } from '../bun/reload.ts'
import { refuseOpenAddress } from '../bun/server.ts'
import { type LoadedConfig, loadConfig } from '../config/config.ts'
import { flagOf } from '../config/settings.ts'
import { UsageError } from '../config/usage-error.ts'
import { createLog, type Log } from '../log/log.ts'
import { csp } from '../shell/program.ts'
import type { Call } from './command.ts'

type Settings = LoadedConfig['config']

/**
 * Reads the settings again, and applies those of the log and the limits. Logs what has changed. Where they are wrong it
 * logs that, and returns nothing: the former ones hold on.
 */
export async function reloadSettings(
  { shell, flags }: Pick<Call, 'shell' | 'flags'>,
  current: Settings,
  { accounts }: Composition,
  log: Log,
): Promise<ReloadPlan<Settings> | undefined> {
  try {
    const { config, warnings } = loadConfig(flags, shell.environment, shell.directory)
    for (const warning of warnings) log('warning', warning)
    const plan = planReload(current, config)
    refuseOpenAddress(plan.config, await accounts.keyRing.keys())
    const { logLevel, logFormat } = plan.config
    if (plan.parts.has('limits')) accounts.setLimits(plan.config)
    // What has changed is said at either level.
    if (plan.parts.has('log')) createLog('info', shell.errors, logFormat)
    report(plan, log)
    if (plan.parts.has('log')) createLog(logLevel, shell.errors, logFormat)
    return plan
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    log('error', `The settings stay as they were. ${error.message}`)
    return undefined
  }
}

function report({ changed, waiting }: ReloadPlan<Settings>, log: Log): void {
  const names = changed.map(flagOf).join(', ')
  log('info', names ? `settings were read again; changed: ${names}` : 'settings were read again')
  if (waiting.length > 0) log('warning', `${csp} restart applies ${waiting.map(flagOf).join(', ')}`)
}
