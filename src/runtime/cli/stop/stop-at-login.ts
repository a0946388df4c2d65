import { ownServiceManager } from '../../background/service/own-manager.ts'
import { serverOf } from '../../background/service/service-server.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes } from '../command.ts'

/** `csp stop --at-login`: ends the service, and csp with it. */
export async function stopAtLogin({ shell, loaded }: Call): Promise<number> {
  const say = (text: string) => shell.output.write(wrapped(`${text}\n`, shell.output))
  const { stateDir } = loaded.config
  const manager = ownServiceManager(shell.environment)
  const server = manager && (await serverOf(manager, stateDir))
  const removed = (await manager?.uninstall()) ?? []
  if (removed.length === 0) {
    say(`csp does not start at login. ${csp} start --at-login has it do so.`)
    return exitCodes.done
  }
  for (const file of removed) say(`Removed ${file}.`)
  if (!manager || !server) return exitCodes.done
  const isGone = (await serverOf(manager, stateDir)) === undefined
  if (isGone) say(`csp at ${server.url} has stopped.`)
  else
    shell.errors.write(
      wrapped(`csp at ${server.url} (process ${server.pid}) still runs. ${csp} stop ends it.\n`, shell.errors),
    )
  return isGone ? exitCodes.done : exitCodes.failed
}
