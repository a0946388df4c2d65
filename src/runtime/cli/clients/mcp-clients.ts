import { join } from 'node:path'
import { continueHeader, continueServer, gooseExtension, mcpByUrl } from '../../../web-ui/client-settings.ts'
import { homeFolder } from '../../config/home.ts'
import type { Program } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import type { Setting } from './client-file.ts'
import { applicationFolder, configFolder } from './client-folders.ts'
import { mcp, program as ownProgram } from './client-requests.ts'
import type { FormatName } from './file-formats.ts'
import type { ClientRoads, KnownClient } from './known-client.ts'

/** Programs that take csp's tools from a configuration file. */
export function mcpClients(environment: Environment): readonly KnownClient[] {
  const home = homeFolder(environment)
  const claudeCode = join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json')
  const claudeDesktop = applicationFolder(environment, 'Claude')
  const vsCode = join(applicationFolder(environment, 'Code'), 'User')
  const cursor = join(home, '.cursor')
  return [
    {
      ...{ id: 'claude-code', title: 'Claude Code', file: claudeCode, traces: [claudeCode] },
      ...{ isServed: true, request: mcp },
      files: oneFile('json', ({ address }) => entry('mcpServers', { type: 'http', ...mcpByUrl(address) })),
    },
    {
      ...{ id: 'claude-desktop', title: 'Claude Desktop', traces: [claudeDesktop] },
      ...{ isServed: false, request: ownProgram, file: join(claudeDesktop, 'claude_desktop_config.json') },
      files: oneFile('json', ({ program, claudeBin }) => entry('mcpServers', programEntry(program, claudeBin))),
    },
    {
      ...{ id: 'cursor', title: 'Cursor', file: join(cursor, 'mcp.json'), traces: [cursor] },
      ...{ isServed: true, request: mcp },
      files: oneFile('json', ({ address }) => entry('mcpServers', mcpByUrl(address))),
    },
    {
      ...{ id: 'vscode', title: 'VS Code', file: join(vsCode, 'mcp.json'), traces: [vsCode] },
      ...{ isServed: true, request: mcp },
      files: oneFile('json', ({ address }) => entry('servers', { type: 'http', ...mcpByUrl(address) })),
    },
    ...otherEditors(environment, home, vsCode),
  ]
}

function otherEditors(environment: Environment, home: string, vsCode: string): readonly KnownClient[] {
  const zed = process.platform === 'darwin' ? join(home, '.config/zed') : configFolder(environment, 'zed')
  const cline = join(vsCode, 'globalStorage/saoudrizwan.claude-dev')
  const openCode = join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')
  const goose = configFolder(environment, process.platform === 'win32' ? 'Block/goose/config' : 'goose')
  const continueFolder = environment['CONTINUE_GLOBAL_DIR'] || join(home, '.continue')
  const all = { isServed: true, request: mcp }
  return [
    {
      ...{ ...all, id: 'zed', title: 'Zed', file: join(zed, 'settings.json'), traces: [zed] },
      files: oneFile('json', ({ address }) => entry('context_servers', mcpByUrl(address))),
    },
    {
      ...{ ...all, id: 'cline', title: 'Cline', traces: [cline] },
      file: join(cline, 'settings/cline_mcp_settings.json'),
      files: oneFile('json', ({ address }) =>
        entry('mcpServers', { type: 'streamableHttp', ...mcpByUrl(address), timeout: 180 }),
      ),
    },
    {
      ...{ ...all, id: 'opencode', title: 'opencode', file: join(openCode, 'opencode.json'), traces: [openCode] },
      files: oneFile('json', ({ address }) => entry('mcp', { type: 'remote', ...mcpByUrl(address), enabled: true })),
    },
    {
      ...{ ...all, id: 'goose', title: 'Goose', file: join(goose, 'config.yaml'), traces: [goose] },
      files: oneFile('yaml', ({ address }) => entry('extensions', gooseExtension(address))),
    },
    {
      ...{ ...all, id: 'continue', title: 'Continue', traces: [continueFolder] },
      // A file of csp's own, which Continue reads beside the configuration that is chosen, whichever that is.
      file: join(continueFolder, 'mcpServers/csp.yaml'),
      files: oneFile('yaml', ({ address }) => [
        ...Object.entries(continueHeader).map(([name, value]) => ({ place: [name], value })),
        { place: ['mcpServers', { member: 'name', value: 'csp' }], value: continueServer(address) },
      ]),
    },
  ]
}

function oneFile(format: FormatName, settings: (roads: ClientRoads) => readonly Setting[]): KnownClient['files'] {
  return (file, roads) => [{ file, format, settings: settings(roads) }]
}

/** One value, named `csp` in a group. */
function entry(group: string, value: unknown): readonly Setting[] {
  return [{ place: [group, 'csp'], value }]
}

/** What a program that starts its servers itself is told. One with a window has a PATH without the CLI. */
export function programEntry({ command, args, env }: Program, claudeBin: string | undefined) {
  const variables = { ...env, ...(claudeBin && { CSP_CLAUDE_BIN: claudeBin }) }
  return { command, args, ...(Object.keys(variables).length > 0 && { env: variables }) }
}
