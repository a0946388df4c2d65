import { withMoments } from '@csp/lib/times'
import { BrowserError, browserVersion } from '@csp/page-reader/browser/devtools'
import { sandboxNotice } from '../../../domain/health.ts'
import { type SearchState, searchState } from '../../../domain/search-state.ts'
import { runningServers, tokenAt } from '../../background/running-servers.ts'
import type { LoadedConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { createAccounts } from '../../server/accounts.ts'
import { listeningHosts, localUrl, urlOf } from '../../server/addresses.ts'
import { cspAt, type RunningCsp } from '../../server/csp-at.ts'
import { listen } from '../../server/listen.ts'
import { ListenError, refuseOpenAddress } from '../../server/server.ts'
import { csp, docsPage } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { version } from '../../version.ts'
import { type Finding, resultsOf } from './finding.ts'

/** What a report of a problem should name. */
export function describeProgram({ CSP_NODE: node }: Environment): Finding {
  const runtime = `Bun ${Bun.version} at ${process.execPath}${node ? `, with node at ${node}` : ''}`
  return resultsOf('csp').ok(`${version} on ${runtime}; ${process.platform} ${process.arch}`)
}

/** Whether csp can listen on the configured address, or already does. */
export async function checkPort({ host, port, apiKeys }: Pick<Config, 'host' | 'port' | 'apiKeys'>): Promise<Finding> {
  const { ok, warn, fail } = resultsOf('port')
  const urls = listeningHosts(host).map((address) => urlOf(address, port))
  const url = urls.join(' and ')
  const running = port > 0 ? await cspAt(localUrl(host, port), apiKeys[0]) : undefined
  if (running?.refusedProxy) {
    return warn(
      `${running.title} listens on ${url}, and refuses requests that come through a proxy`,
      running.refusedProxy,
    )
  }
  if (running) return ok(`${running.title} already listens on ${url}`)
  try {
    const server = await listen(() => new Response(null), host, port)
    await server.stop(AbortSignal.abort())
    return ok(port > 0 ? `${url} ${urls.length > 1 ? 'are' : 'is'} free` : 'any free port')
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    return fail(`${url} cannot be listened on`, error.message)
  }
}

/** Whether only those can search whom the owner has let in. `named`: the keys of the key file. */
export function checkAccess(
  config: Pick<Config, 'host' | 'apiKeys' | 'allowedHosts'>,
  named: readonly unknown[],
): Finding {
  const { ok, fail } = resultsOf('access')
  const count = config.apiKeys.length + named.length
  if (count > 0) return ok(`with a key only; there ${count === 1 ? 'is 1' : `are ${count}`}`)
  try {
    refuseOpenAddress(config, named)
    return ok('programs of this machine, without a key; requests that come through a proxy are refused')
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const [message = '', ...remedy] = error.message.split('\n')
    return fail(message, remedy.join(' '))
  }
}

/** Whether the browser for pages answers, where one is configured. */
export async function checkPagesBrowser({ pagesBrowser }: Pick<Config, 'pagesBrowser'>): Promise<readonly Finding[]> {
  if (!pagesBrowser) return []
  const { ok, warn } = resultsOf('browser')
  try {
    const { name } = await browserVersion(pagesBrowser, AbortSignal.timeout(5000))
    return [ok(`${name} at ${pagesBrowser}, for pages that need scripts`)]
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error
    const message = `${error.message}; pages that need scripts cannot be read`
    const remedy = `Start Chromium as docs/pages.md says, or ${csp} config unset pages-browser.`
    return [warn(message, remedy)]
  }
}

/** Where answers are cached. Whether that folder can be written is for `checkDisk` to say. */
export function describeCache({ cacheDir, cacheTtl }: Pick<LoadedConfig['config'], 'cacheDir' | 'cacheTtl'>): Finding {
  return resultsOf('cache').ok(cacheTtl === 0 ? 'off (--cache-ttl 0)' : cacheDir)
}

/** Whether csp starts with the configuration, and whether that has unknown names. */
export function checkConfig({ path, found, warnings, problem }: LoadedConfig): Finding {
  const { ok, warn, fail } = resultsOf('config')
  if (problem) return fail(`${problem} The checks above are those without the file.`, `${csp} config edit`)
  if (warnings.length > 0) return warn(warnings.join(' '), `\`${csp} config\` lists the settings.`)
  return ok(found ? path : `${path} (no such file, which is fine)`)
}

/** What can be searched now, as the csp that runs says it, otherwise by what was spent today. */
export async function checkState({ config }: LoadedConfig): Promise<readonly Finding[]> {
  const running = await runningAt(config)
  const rests = (running?.restingKeys ?? []).map((text) => resultsOf('keys').warn(text))
  return [...rests, ...(await searchesOf(running, config))]
}

async function searchesOf(
  running: RunningCsp | undefined,
  config: LoadedConfig['config'],
): Promise<readonly Finding[]> {
  const { ok, warn, fail } = resultsOf('searches')
  const state = running?.searches ?? (await stateOfBudget(config))
  if (!state) return []
  const text = `${running?.isSandbox ? `${sandboxNotice} ` : ''}${withMoments(state.text)}`
  if (state.status === 'limited')
    return [warn(text, `${csp} status shows each limit; other backends search meanwhile: ${docsPage('backends.md')}`)]
  if (state.status === 'signed-out') return [{ ...fail(text), concernsClaude: true }]
  return [state.status === 'down' ? fail(text) : state.status === 'degraded' ? warn(text) : ok(text)]
}

async function runningAt({ host, port, stateDir, apiKeys }: LoadedConfig['config']) {
  if (port === 0) return undefined
  const url = localUrl(host, port)
  return cspAt(url, tokenAt(url, await runningServers(stateDir)) ?? apiKeys[0])
}

/** A csp that does not run yet may be out of budget all the same. */
async function stateOfBudget(config: LoadedConfig['config']): Promise<SearchState | undefined> {
  const budget = await createAccounts(config, () => {}).budget.health()
  const state = searchState({ ready: true, backends: [], budget })
  return state.status === 'limited' ? state : undefined
}
