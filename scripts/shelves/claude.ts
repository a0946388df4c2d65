// What Claude's own programs take: a bundle for Claude Desktop, a plugin and a marketplace for Claude Code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Facts } from './facts.ts'
import { json, type Shelf } from './shelf.ts'

const root = join(import.meta.dir, '../..')

/** A folder that `mcpb pack` makes into a bundle: a program for the node that Claude Desktop brings, which starts csp. */
export const claudeDesktop: Shelf = (facts) => ({
  'claude-desktop/manifest.json': json({
    manifest_version: '0.3',
    name: facts.name,
    display_name: 'csp',
    version: facts.version,
    description: facts.description,
    author: { name: facts.owner, url: facts.url },
    repository: { type: 'git', url: `${facts.url}.git` },
    homepage: facts.url,
    documentation: `${facts.url}/blob/main/docs/clients/claude-desktop.md`,
    support: `${facts.url}/issues`,
    icon: 'icon.png',
    license: facts.license,
    keywords: facts.keywords,
    server: {
      type: 'node',
      entry_point: 'index.mjs',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Desktop puts the folder there.
      mcp_config: { command: 'node', args: ['${__dirname}/index.mjs'], env: { CSP_VERSION: facts.version } },
    },
    tools_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: `>=${facts.node}` } },
  }),
  'claude-desktop/index.mjs': readFileSync(join(root, 'integrations/claude-desktop/index.mjs'), 'utf8'),
  'claude-desktop/LICENSE': readFileSync(join(root, 'LICENSE'), 'utf8'),
})

/** What does not depend on who publishes csp. */
type CommittedFacts = Pick<Facts, 'name' | 'version' | 'description' | 'license' | 'keywords'>

/**
 * The files that Claude Code reads from the repository itself, so they are committed and name no account:
 * `claude plugin marketplace add OWNER/NAME`.
 */
export function claudeCode({ name, version, description, license, keywords }: CommittedFacts) {
  const folder = 'integrations/claude-code'
  return {
    '.claude-plugin/marketplace.json': json({
      name,
      description,
      owner: { name: 'The authors of csp' },
      plugins: [{ name: 'csp', source: `./${folder}`, description, category: 'productivity' }],
    }),
    [`${folder}/.claude-plugin/plugin.json`]: json({
      name: 'csp',
      version,
      description,
      author: { name: 'The authors of csp' },
      license,
      keywords,
    }),
    [`${folder}/.mcp.json`]: json({
      mcpServers: { csp: { command: 'npx', args: ['-y', `${name}@${version}`, 'mcp'] } },
    }),
  }
}
