import { whenAborted } from '@csp/lib/abort'
import type { McpServerOptions } from '../../../api/endpoints/mcp/server.ts'
import type { Failure } from '../../../api/exchange/failure.ts'
import { causeChain, reportFailure } from '../../../api/exchange/failure-report.ts'
import { isSearchErrorCode, traitsOf } from '../../../domain/error.ts'
import { sandboxNotice } from '../../../domain/health.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { preferRunning } from '../../background/running-executor.ts'
import { type WhatRuns, whatRuns, whyNotUsed } from '../../background/what-runs.ts'
import { reportHealth } from '../../log/health-log.ts'
import type { Log } from '../../log/log.ts'
import { type Composition, openComposition } from '../../server/composition.ts'
import { csp } from '../../shell/program.ts'
import { interruption } from '../../shell/shell.ts'
import { version } from '../../version.ts'
import { type Call, defineCommand, exitCodes } from '../command.ts'
import { quietLog } from '../one-off.ts'

/** `csp mcp`: the search tools for one MCP client, until it closes standard input. */
export const mcp = defineCommand({
  name: 'mcp',
  usage: '[FLAGS]',
  details: `For MCP clients that start their servers themselves; ${csp} setup mcp prints the entry for them. It searches through the csp that already runs. If none runs, or its settings differ from those of this command, it searches in its own process. For clients that take a URL, ${csp} serve has the same tools at /mcp.`,
  examples: [`${csp} setup mcp`, `${csp} mcp --sandbox`],
  options: {},
  arguments: { minimum: 0, maximum: 0 },
  run: runMcp,
})

async function runMcp({ shell, loaded }: Call): Promise<number> {
  const { config } = loaded
  // Clients show standard error or keep it in a file, so only what matters is logged.
  const log = quietLog({ shell, loaded }, 'warning')
  for (const warning of loaded.warnings) log('warning', warning)
  const stop = interruption(shell)
  const composition = openComposition(config, shell.environment, log)
  try {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const { mcpServer } = await import('../../../api/endpoints/mcp/server.ts')
    const recent: SearchRequest[] = []
    const { pages } = composition
    const asking = { loaded, environment: shell.environment }
    let said: string | undefined
    const tell = (found: WhatRuns) => {
      const line = lineAbout(found, config.sandbox)
      if (line !== undefined && line !== said) log('warning', line)
      said = line
    }
    const executor = composition.remember(preferRunning(composition.executor, asking, tell))
    const options: McpServerOptions = {
      version,
      search(request, signal) {
        recent.push(request)
        recent.splice(0, recent.length - maxRecent)
        return executor.search(request, { signal })
      },
      recalls: composition.executor.recalls,
      readPage: pages && ((request, signal) => pages.read(request, { signal })),
      onFailure: ({ code }, error) => logFailure(log, code, error, recent),
    }
    const inputEnded = new Promise((resolve) => process.stdin.once('end', resolve))
    const server = serveStdio(() => mcpServer(options), { maxSubscriptions: 0 })
    const found = await whatRuns(asking)
    tell(found)
    // A csp that runs is warm.
    if (found.kind !== 'usable') void warmUp(composition, log, stop.first)
    await Promise.race([inputEnded, whenAborted(stop.first)])
    await server.close()
    return exitCodes.done
  } finally {
    await Promise.race([composition.close(), whenAborted(stop.again)])
    stop.end()
  }
}

/** Notes for its user about the running csp. */
function lineAbout(found: WhatRuns, isSandbox: boolean): string | undefined {
  if (found.kind !== 'usable') return whyNotUsed(found)
  return found.server.sandbox && !isSandbox ? `The csp at ${found.server.url} is asked. ${sandboxNotice}` : undefined
}

async function warmUp({ executor, settle }: Composition, log: Log, stopped: AbortSignal): Promise<void> {
  await settle()
  const health = await executor.health()
  if (!stopped.aborted) reportHealth(log, health)
}

/** Requests whose words are cut out of what is logged. */
const maxRecent = 20

export function logFailure(log: Log, code: Failure['code'], error: unknown, recent: readonly SearchRequest[]): void {
  const { message, fault } = reportFailure(error, recent) ?? {}
  const isFault = isSearchErrorCode(code) && traitsOf(code).isFault
  const reason = isFault ? (fault ?? message) : undefined
  log(isFault ? 'warning' : 'info', `A call failed, code=${code}${reason ? `: ${reason}` : ''}`, { code, reason })
  if (message ?? fault) log('debug', `It failed because of ${causeChain(error, recent).join(' <- ')}`, { code })
}
