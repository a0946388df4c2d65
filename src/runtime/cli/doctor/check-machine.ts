import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listeningHosts, localUrl, urlOf } from '../../bun/addresses.ts'
import { cspAt } from '../../bun/csp-at.ts'
import { listen } from '../../bun/listen.ts'
import { ListenError, refuseOpenAddress } from '../../bun/server.ts'
import type { LoadedConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import type { Finding } from './finding.ts'

/** Whether csp can listen on the configured address, or already does. */
export async function checkPort({ host, port, apiKeys }: Pick<Config, 'host' | 'port' | 'apiKeys'>): Promise<Finding> {
  const check = 'port'
  const urls = listeningHosts(host).map((address) => urlOf(address, port))
  const url = urls.join(' and ')
  const running = port > 0 ? await cspAt(localUrl(host, port), apiKeys[0]) : undefined
  if (running?.refusedProxy) {
    const message = `${running.title} listens on ${url}, and refuses requests that come through a proxy`
    return { status: 'warn', check, message, remedy: running.refusedProxy }
  }
  if (running) return { status: 'ok', check, message: `${running.title} already listens on ${url}` }
  try {
    const server = await listen(() => new Response(null), host, port)
    await server.stop(AbortSignal.abort())
    return {
      status: 'ok',
      check,
      message: port > 0 ? `${url} ${urls.length > 1 ? 'are' : 'is'} free` : 'any free port',
    }
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    return { status: 'fail', check, message: `${url} cannot be listened on`, remedy: error.message }
  }
}

/** Whether only those can search whom the owner has let in. `named`: the keys of the key file. */
export function checkAccess(
  config: Pick<Config, 'host' | 'apiKeys' | 'allowedHosts'>,
  named: readonly unknown[],
): Finding {
  const check = 'access'
  const count = config.apiKeys.length + named.length
  if (count > 0)
    return { status: 'ok', check, message: `with a key only; there ${count === 1 ? 'is 1' : `are ${count}`}` }
  try {
    refuseOpenAddress(config, named)
    const message = 'programs of this machine, without a key; requests that come through a proxy are refused'
    return { status: 'ok', check, message }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const [message = '', ...remedy] = error.message.split('\n')
    return { status: 'fail', check, message, remedy: remedy.join(' ') }
  }
}

/** Whether answers can be cached. */
export function checkCache({ cacheDir, cacheTtl }: Pick<LoadedConfig['config'], 'cacheDir' | 'cacheTtl'>): Finding {
  const check = 'cache'
  if (cacheTtl === 0) return { status: 'ok', check, message: 'off (--cache-ttl 0)' }
  const trial = join(cacheDir, `.doctor-${process.pid}`)
  try {
    mkdirSync(cacheDir, { recursive: true, mode: 0o700 })
    writeFileSync(trial, '')
    rmSync(trial)
    return { status: 'ok', check, message: cacheDir }
  } catch {
    return {
      status: 'warn',
      check,
      message: `${cacheDir} is not writable; answers are cached in memory only`,
      remedy: 'Name another folder with --cache-dir.',
    }
  }
}

/** Whether csp starts with the configuration, and whether that has unknown names. */
export function checkConfig({ path, found, warnings, problem }: LoadedConfig): Finding {
  const check = 'config'
  if (problem) {
    const message = `${problem} The checks above are those without the file.`
    return { status: 'fail', check, message, remedy: `${csp} config edit` }
  }
  if (warnings.length > 0) {
    return { status: 'warn', check, message: warnings.join(' '), remedy: `\`${csp} config\` lists the settings.` }
  }
  return { status: 'ok', check, message: found ? path : `${path} (no such file, which is fine)` }
}
