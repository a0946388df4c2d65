import { type SearchState, searchState } from '../../../domain/search-state.ts'
import { withMoments } from '../../../lib/times.ts'
import { runningServers, tokenAt } from '../../background/running-servers.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { createAccounts } from '../../server/accounts.ts'
import { localUrl } from '../../server/addresses.ts'
import { cspAt } from '../../server/csp-at.ts'
import { csp, docsPage } from '../../shell/program.ts'
import { type Finding, resultsOf } from './finding.ts'

/** What can be searched now, as the csp that runs says it, otherwise by what was spent today. */
export async function checkState({ config }: LoadedConfig): Promise<readonly Finding[]> {
  const { ok, warn, fail } = resultsOf('searches')
  const state = (await stateOfRunning(config)) ?? (await stateOfBudget(config))
  if (!state) return []
  const text = withMoments(state.text)
  if (state.status === 'limited')
    return [warn(text, `${csp} status shows each limit; other backends search meanwhile: ${docsPage('backends.md')}`)]
  return [state.status === 'down' ? fail(text) : state.status === 'degraded' ? warn(text) : ok(text)]
}

async function stateOfRunning({ host, port, stateDir, apiKeys }: LoadedConfig['config']) {
  if (port === 0) return undefined
  const url = localUrl(host, port)
  return (await cspAt(url, tokenAt(url, await runningServers(stateDir)) ?? apiKeys[0]))?.searches
}

/** A csp that does not run yet may be out of budget all the same. */
async function stateOfBudget(config: LoadedConfig['config']): Promise<SearchState | undefined> {
  const budget = await createAccounts(config, () => {}).budget.health()
  const state = searchState({ ready: true, backends: [], budget })
  return state.status === 'limited' ? state : undefined
}
