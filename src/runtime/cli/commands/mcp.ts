import { whenAborted } from '../../../lib/abort.ts'
import { openComposition } from '../../bun/composition.ts'
import { openLog } from '../../log/log.ts'
import { interruption } from '../../shell/shell.ts'
import { version } from '../../version.ts'
import { type Call, defineCommand, exitCodes } from '../command.ts'

/** `csp mcp`: the search tools for one MCP client, until it closes standard input. */
export const mcp = defineCommand({
  name: 'mcp',
  usage: '[FLAGS]',
  summary: 'Serve the search tools over MCP on standard input and output',
  details:
    'For MCP clients that start their servers themselves; It needs no csp serve. The same tools are at /mcp of csp serve, for clients that take a URL.',
  examples: ['claude mcp add web-search -- npx csp mcp', 'csp mcp --sandbox'],
  options: {},
  arguments: { minimum: 0, maximum: 0 },
  run: runMcp,
})

async function runMcp({ shell, loaded }: Call): Promise<number> {
  const { config, origins } = loaded
  // Clients show what comes on standard error, or keep it in a file; it should be worth reading.
  const log = openLog(origins.logLevel === 'default' ? 'warning' : config.logLevel, shell.errors, config.logFormat)
  for (const warning of loaded.warnings) log('warning', warning)
  const stop = interruption(shell)
  const composition = openComposition(config, shell.environment, log)
  try {
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
    const { mcpServer } = await import('../../../api/endpoints/mcp/server.ts')
    const server = mcpServer({
      version,
      search: (request, signal) => composition.executor.search(request, { signal }),
      onFailure: ({ code, message }) => log('info', `${code}: ${message}`),
    })
    const inputEnded = new Promise((resolve) => process.stdin.once('end', resolve))
    await server.connect(new StdioServerTransport())
    void composition.settle()
    await Promise.race([inputEnded, whenAborted(stop.first)])
    await server.close()
    return exitCodes.done
  } finally {
    await Promise.race([composition.close(), whenAborted(stop.again)])
    stop.end()
  }
}
