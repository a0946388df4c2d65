import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ListenError, startServer, urlOf, versionOfCspAt } from '../../bun/server.ts'
import type { LoadedConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import type { Finding } from './finding.ts'

/** Whether csp can listen on the configured address, or already does. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const check = 'port'
  const url = urlOf(host, port)
  const running = port > 0 ? await versionOfCspAt(url) : undefined
  if (running !== undefined)
    return { status: 'ok', check, message: `csp ${running} already listens on ${url}`.replace('  ', ' ') }
  try {
    const server = await startServer(() => new Response(null), host, port)
    await server.stop(AbortSignal.abort())
    return { status: 'ok', check, message: port > 0 ? `${url} is free` : 'any free port' }
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    return { status: 'fail', check, message: `${url} is not available`, remedy: error.message }
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

/** Whether the configuration has unknown names. A wrong value ends csp before this check. */
export function checkConfig({ path, found, warnings }: LoadedConfig): Finding {
  const check = 'config'
  if (warnings.length > 0) {
    return { status: 'warn', check, message: warnings.join(' '), remedy: '`csp config` lists the settings.' }
  }
  return { status: 'ok', check, message: found ? path : `${path} (no such file, which is fine)` }
}
