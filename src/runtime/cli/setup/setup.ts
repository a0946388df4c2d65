import { clientNames } from '../../client-files/known-clients.ts'
import { meant, UsageError } from '../../config/usage-error.ts'
import { csp, docsPage } from '../../shell/program.ts'
import { wrap } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions } from '../command.ts'
import { table } from '../help.ts'

const definitions = {
  url: { hint: 'URL', help: 'Address of csp, if it differs from the configured one' },
  file: { hint: 'FILE', help: 'Configuration file of the client, if not in the usual place' },
  plugin: { help: 'OpenClaw: use the plugin of csp, which also reads pages and starts csp, not the one for Brave' },
  print: { help: 'Print the change, or the commands for it, and change nothing' },
  write: { help: 'Write the change; asks first, unless --yes is given' },
  undo: { help: 'Remove csp from the configuration' },
  noSearch: { help: 'Skip the test search' },
  yes: { short: 'y', help: 'Do not ask' },
  name: { hint: 'NAME', help: 'Name of the Worker (csp-edge)' },
  dryRun: { help: 'Only build the Worker, without an account' },
  renew: { help: 'Make new keys for the edge; the old ones stop working' },
} satisfies OptionDefinitions

const targets: readonly string[] = [...clientNames, 'mcp', 'edge']

/** `csp setup`: makes other programs search with csp. */
export const setup = defineCommand({
  name: 'setup',
  usage: `[${targets.join('|')}] [FLAGS]`,
  details:
    'With a program, it shows the change to its configuration, asks, keeps a copy, writes the change, and makes one search as the program would. Without a terminal it only shows the change, unless you give --write --yes. If csp cannot write the configuration of a program, it prints the values. mcp prints the entry for Claude Desktop, Cursor, VS Code and others. edge puts a Worker on your Cloudflare account, see docs/edge.md. Without an argument it lists all of these.',
  examples: [
    `${csp} setup openclaw --plugin`,
    `${csp} setup zed`,
    `${csp} setup hermes --write --yes`,
    `${csp} setup open-webui --file .env`,
    `${csp} setup goose --print`,
    `${csp} setup openclaw --print`,
    `${csp} setup mcp --url http://127.0.0.1:8080`,
    `${csp} setup edge --dry-run`,
  ],
  options: definitions,
  words: Object.fromEntries(targets.map((name) => [name, []])),
  arguments: { minimum: 0, maximum: 1 },
  run: runSetup,
})

async function runSetup(invocation: Invocation<typeof definitions>): Promise<number> {
  const [target] = invocation.arguments
  if (target === 'mcp') return printSnippets(invocation)
  if (target === 'edge') {
    const { setupEdge } = await import('./edge.ts')
    return setupEdge(invocation)
  }
  if (target === 'credits')
    throw new UsageError(`To store a key of the Anthropic API, run: ${csp} config set anthropic-api-key`)
  if (target !== undefined) {
    const { setUpClient } = await import('./client.ts')
    const code = await setUpClient(invocation, target)
    if (code !== undefined) return code
    const advice = meant(target, targets, `It knows ${targets.join(', ')}.`)
    throw new UsageError(`${csp} setup does not know "${target}". ${advice}`)
  }
  const { output } = invocation.shell
  const width = output.isTerminal ? Math.min(output.columns, 110) : 110
  const rest = wrap(`Other programs need a base URL and no more: see ${docsPage('clients')}.`, width)
  output.write(wrapped(`${table(uses, width)}\n\n${rest}\n`, output))
  return exitCodes.done
}

const uses: readonly (readonly [string, string])[] = [
  [
    `${csp} setup openclaw`,
    'OpenClaw searches with csp, by its Brave plugin; with --plugin by ours, which also reads pages, answers questions and starts csp with the gateway',
  ],
  [
    `${csp} setup CLIENT`,
    `writes or prints what CLIENT needs, and searches once as it would: ${clientNames.slice(1).join(', ')}`,
  ],
  [`${csp} setup mcp`, 'what to paste into Claude Desktop, Cursor, VS Code, Claude Code, OpenClaw'],
  [`${csp} setup edge`, 'a Worker on your Cloudflare account, for clients anywhere'],
]

async function printSnippets(invocation: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = invocation
  const { clientAddresses, clientAddress, reportMissingKey } = await import('../../client-files/addresses.ts')
  const { mcpSnippets } = await import('../../../clients/snippets.ts')
  await reportMissingKey(invocation, 'setup mcp')
  const snippets = mcpSnippets(clientAddresses(invocation, await clientAddress(loaded, options.url)))
  const pages = snippets.map(({ client, place, text }) => `${client}: ${place}\n\n${text}\n`)
  shell.output.write(pages.join('\n'))
  return exitCodes.done
}
