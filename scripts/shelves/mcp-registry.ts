import type { Facts } from './facts.ts'
import { json, type Shelf } from './shelf.ts'

/** The registry of MCP: the package on npm, and the bundle of Claude Desktop, which lies in the release. */
export const mcpRegistry: Shelf = (facts) => ({
  'mcp-registry/server.json': json({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: facts.mcpName,
    title: 'csp',
    // 100 characters at most.
    description: 'Web search, pages and cited answers by the Claude Code CLI on your machine.',
    repository: { url: facts.url, source: 'github' },
    version: facts.version,
    websiteUrl: facts.url,
    packages: [
      {
        registryType: 'npm',
        identifier: facts.name,
        version: facts.version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'CSP_CLAUDE_BIN',
            description: 'The Claude Code CLI, where csp does not find it',
            isRequired: false,
            format: 'filepath',
          },
        ],
      },
      {
        registryType: 'mcpb',
        identifier: facts.download(bundleOf(facts)),
        fileSha256: facts.sum(bundleOf(facts)),
        transport: { type: 'stdio' },
      },
    ],
  }),
})

/** The bundle of Claude Desktop, as a release has it. */
export function bundleOf({ version }: Facts): string {
  return `csp-${version}.mcpb`
}
