import { UsageError } from '../../config/usage-error.ts'
import { type Command, exitCodes, type Invocation } from '../command.ts'

/** `csp setup`: makes other programs search with csp. */
export const setup: Command = {
  name: 'setup',
  usage: '[openclaw|mcp|edge] [FLAGS]',
  summary: 'Make another program search with csp, or put csp on the edge',
  details:
    'openclaw: shows what changes in the configuration of OpenClaw, asks, keeps a backup, and writes it. mcp: prints what to put into the configuration of Claude Desktop, Cursor, VS Code and others. edge: puts a Worker on your Cloudflare account, see docs/edge.md. Alone it lists these.',
  examples: [
    'csp setup openclaw',
    'csp setup openclaw --print',
    'csp setup mcp --url http://127.0.0.1:8080',
    'csp setup edge --dry-run',
  ],
  settings: ['port', 'apiKeys', 'timeout'],
  options: [
    { flag: 'url', hint: 'URL', help: 'Where csp listens, if not as configured' },
    { flag: 'file', hint: 'FILE', help: 'Configuration of OpenClaw, if not in its usual place' },
    { flag: 'print', help: 'Print the commands that do the same, and change nothing' },
    { flag: 'undo', help: 'Put the former configuration back' },
    { flag: 'yes', short: 'y', help: 'Do not ask' },
    { flag: 'name', hint: 'NAME', help: 'Of the Worker, if not csp-edge' },
    { flag: 'dry-run', help: 'Only build the Worker; needs no account' },
    { flag: 'renew', help: 'New keys for the edge; the former ones end' },
  ],
  arguments: { minimum: 0, maximum: 1 },
  run: runSetup,
}

async function runSetup(invocation: Invocation): Promise<number> {
  const [target] = invocation.arguments
  if (target === 'openclaw') {
    const { setupOpenClaw } = await import('../setup/setup-openclaw.ts')
    return setupOpenClaw(invocation)
  }
  if (target === 'mcp') return printSnippets(invocation)
  if (target === 'edge') {
    const { setupEdge } = await import('../setup/setup-edge.ts')
    return setupEdge(invocation)
  }
  if (target !== undefined)
    throw new UsageError(`csp setup does not know "${target}". It knows openclaw, mcp and edge.`)
  invocation.shell.output.write(
    [
      'csp setup openclaw   OpenClaw searches with csp, by its Brave plugin',
      'csp setup mcp        what to paste into Claude Desktop, Cursor, VS Code, Claude Code, OpenClaw',
      'csp setup edge       a Worker on your Cloudflare account, for clients anywhere',
      '',
      'Other programs need a base URL and no more: see docs/clients.',
      '',
    ].join('\n'),
  )
  return exitCodes.done
}

async function printSnippets(invocation: Invocation): Promise<number> {
  const { shell, loaded, options } = invocation
  const { mcpSnippets, ownProgram } = await import('../setup/mcp-snippets.ts')
  const { tellMissingKey } = await import('../setup/report-missing-key.ts')
  const { wayTo } = await import('../setup/client-address.ts')
  await tellMissingKey(invocation, 'setup mcp')
  const snippets = mcpSnippets(wayTo(loaded.config, options['url']), ownProgram('mcp'))
  const pages = snippets.map(({ client, place, text }) => `${client}: ${place}\n\n${text}\n`)
  shell.output.write(pages.join('\n'))
  return exitCodes.done
}
