import { withMoments } from '@csp/lib/times'
import { sandboxNotice } from '../../../domain/health.ts'
import { type SearchState, searchState } from '../../../domain/search-state.ts'
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
  const running = await runningAt(config)
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
