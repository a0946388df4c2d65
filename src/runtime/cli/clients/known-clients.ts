import { join } from 'node:path'
import type { ClientAddress } from '../../../page/client-snippets.ts'
import { homeFolder } from '../../config/home.ts'
import type { Program } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'

/** How a client can reach csp. */
export interface ClientRoads {
  /** A csp that serves. */
  readonly address: ClientAddress
  /** A csp of its own, that the client starts. */
  readonly program: Program
  readonly claudeBin: string | undefined
}

/** A program that takes csp's tools from a configuration file of JSON or YAML. */
export interface KnownClient {
  /** As `--clients` takes it; also the name of its key. */
  readonly id: string
  readonly title: string
  readonly file: string
  /** What is there where the program is installed: its file, or a folder of its own. */
  readonly traces: readonly string[]
  /** Where csp's entry stands in the file. */
  readonly path: readonly [string, string]
  /** Whether it goes to a csp that serves, and needs a key where that has keys. */
  readonly isServed: boolean
  entry(roads: ClientRoads): unknown
}

/** The clients whose files csp can write, apart from OpenClaw, which has a way of its own. */
export function knownClients(environment: Environment): readonly KnownClient[] {
  const home = homeFolder(environment)
  const claudeCode = join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json')
  const claudeDesktop = applicationFolder(environment, 'Claude')
  const vsCode = join(applicationFolder(environment, 'Code'), 'User')
  const cursor = join(home, '.cursor')
  const goose = configFolder(environment, process.platform === 'win32' ? 'Block/goose/config' : 'goose')
  return [
    {
      id: 'claude-code',
      title: 'Claude Code',
      file: claudeCode,
      traces: [claudeCode],
      path: ['mcpServers', 'csp'],
      isServed: true,
      entry: ({ address }) => ({ type: 'http', ...byUrl(address) }),
    },
    {
      id: 'claude-desktop',
      title: 'Claude Desktop',
      file: join(claudeDesktop, 'claude_desktop_config.json'),
      traces: [claudeDesktop],
      path: ['mcpServers', 'csp'],
      isServed: false,
      entry: ({ program, claudeBin }) => programEntry(program, claudeBin),
    },
    {
      id: 'cursor',
      title: 'Cursor',
      file: join(cursor, 'mcp.json'),
      traces: [cursor],
      path: ['mcpServers', 'csp'],
      isServed: true,
      entry: ({ address }) => byUrl(address),
    },
    {
      id: 'vscode',
      title: 'VS Code',
      file: join(vsCode, 'mcp.json'),
      traces: [vsCode],
      path: ['servers', 'csp'],
      isServed: true,
      entry: ({ address }) => ({ type: 'http', ...byUrl(address) }),
    },
    ...otherEditors(environment, home, vsCode),
    {
      id: 'goose',
      title: 'Goose',
      file: join(goose, 'config.yaml'),
      traces: [goose],
      path: ['extensions', 'csp'],
      isServed: true,
      entry: ({ address: { url, key } }) => ({
        ...{ enabled: true, type: 'streamable_http', name: 'csp', description: 'Web search and page reading' },
        ...{ uri: `${url}/mcp`, timeout: 300 },
        ...(key && { headers: { Authorization: `Bearer ${key}` } }),
      }),
    },
  ]
}

/** What a program that starts its servers itself is told. One with a window has a PATH without the CLI. */
export function programEntry({ command, args, env }: Program, claudeBin: string | undefined) {
  const variables = { ...env, ...(claudeBin && { CSP_CLAUDE_BIN: claudeBin }) }
  return { command, args, ...(Object.keys(variables).length > 0 && { env: variables }) }
}

/** Their ids. */
export function knownClientNames(): readonly string[] {
  return knownClients({ HOME: '/' }).map(({ id }) => id)
}

function otherEditors(environment: Environment, home: string, vsCode: string): readonly KnownClient[] {
  const zed = process.platform === 'darwin' ? join(home, '.config/zed') : configFolder(environment, 'zed')
  const cline = join(vsCode, 'globalStorage/saoudrizwan.claude-dev')
  const openCode = join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')
  return [
    {
      id: 'zed',
      title: 'Zed',
      file: join(zed, 'settings.json'),
      traces: [zed],
      path: ['context_servers', 'csp'],
      isServed: true,
      entry: ({ address }) => byUrl(address),
    },
    {
      id: 'cline',
      title: 'Cline',
      file: join(cline, 'settings/cline_mcp_settings.json'),
      traces: [cline],
      path: ['mcpServers', 'csp'],
      isServed: true,
      entry: ({ address }) => ({ type: 'streamableHttp', ...byUrl(address), timeout: 180 }),
    },
    {
      id: 'opencode',
      title: 'opencode',
      file: join(openCode, 'opencode.json'),
      traces: [openCode],
      path: ['mcp', 'csp'],
      isServed: true,
      entry: ({ address }) => ({ type: 'remote', ...byUrl(address), enabled: true }),
    },
  ]
}

/** Where programs of the terminal keep their files. */
function configFolder(environment: Environment, name: string): string {
  const home = homeFolder(environment)
  if (process.platform === 'win32') return applicationFolder(environment, name)
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), name)
}

function byUrl({ url, key }: ClientAddress) {
  return { url: `${url}/mcp`, ...(key && { headers: { Authorization: `Bearer ${key}` } }) }
}

/** Where programs with a window keep their files. */
function applicationFolder(environment: Environment, name: string): string {
  const home = homeFolder(environment)
  if (process.platform === 'darwin') return join(home, 'Library/Application Support', name)
  if (process.platform === 'win32') return join(environment['APPDATA'] || join(home, 'AppData/Roaming'), name)
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), name)
}
