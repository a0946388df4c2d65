import { existsSync } from 'node:fs'
import { startInBackground, stopServer } from '../../background/background.ts'
import { isOfService, type RunningServerRecord, serversHere } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, defineCommand, exitCodes, flagArguments } from '../command.ts'
import { started } from '../start/start.ts'
import { reportStart } from '../start/start-at-login.ts'

/** `csp restart`: a new csp in the place of the one that runs. */
export const restart = defineCommand({
  name: 'restart',
  usage: '[FLAGS]',
  details:
    'The new csp loads first and then takes over the port. Searches that are running finish in the old one. Without flags, the new csp takes those of the old one. A csp that starts at login is restarted by systemd or launchd.',
  examples: [`${csp} restart`, `${csp} restart --model haiku`],
  options: {},
  arguments: { minimum: 0, maximum: 0 },
  run: runRestart,
})

async function runRestart(call: Call): Promise<number> {
  const { shell, loaded, flags } = call
  for (const warning of loaded.warnings) shell.errors.write(wrapped(`${warning}\n`, shell.errors))
  const [old] = (await serversHere(loaded)).chosen
  const manager = ownServiceManager(shell.environment)
  if (manager && (old ? isOfService(old) : existsSync(manager.file))) {
    const given = flagArguments(flags)
    if (given.length > 0)
      throw new UsageError(`csp starts at login, with flags of its own: ${csp} start --at-login ${given.join(' ')}`)
    await manager.restart()
    return reportStart(manager, call, old)
  }
  shell.output.write(wrapped(`${started(await replace(old, call))}\n`, shell.output))
  return exitCodes.done
}

async function replace(old: RunningServerRecord | undefined, { shell, loaded, flags }: Call) {
  const { stateDir, port } = loaded.config
  const { isSamePort, ...own } = placeAfter(old, flagArguments(flags), port)
  // Another port is free already, and if there is no such signal the old one has to end first.
  const takesOver = isSamePort && process.platform !== 'win32'
  if (old && !takesOver) await stopServer(old, false)
  const pid = takesOver ? old?.pid : undefined
  return startInBackground({ stateDir, environment: shell.environment, ...own, takesOver: pid })
}

/** The flags of a csp that takes the place of another, and whether it listens on the same port. `port`: that of the settings. */
export function placeAfter(
  old: Pick<RunningServerRecord, 'flags' | 'port'> | undefined,
  given: readonly string[],
  port: number,
): { readonly flags: readonly string[]; readonly isSamePort: boolean } {
  if (!old || given.length > 0) return { flags: given, isSamePort: old?.port === port }
  const kept = old.flags.filter((flag) => !flag.startsWith('--port='))
  // The port of a flag stays, and so does one that it chose itself.
  const keepsPort = kept.length < old.flags.length || port === 0
  return {
    flags: keepsPort ? [...kept, `--port=${old.port}`] : kept,
    isSamePort: keepsPort || old.port === port,
  }
}
