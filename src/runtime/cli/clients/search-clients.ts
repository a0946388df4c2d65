import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  addressWithKey,
  hermesSettings,
  hermesVariables,
  libreChatAllowed,
  libreChatSettings,
  libreChatVariables,
  liteLlmTool,
  openWebuiVariables,
  routerVariables,
} from '../../../web-ui/client-settings.ts'
import { homeFolder } from '../../config/home.ts'
import type { Environment } from '../../shell/shell.ts'
import type { Setting } from './client-file.ts'
import {
  hermesRequest,
  homeAssistantRequest,
  libreChatRequest,
  liteLlmRequest,
  n8nRequest,
  openWebuiRequest,
  routerRequest,
} from './client-requests.ts'
import type { ClientRoads, KnownClient } from './known-client.ts'

/** Programs that search with csp by the API of a search engine, or are set up in their own pages. */
export function searchClients(environment: Environment, directory: string): readonly KnownClient[] {
  return [
    hermes(environment),
    openWebui(),
    libreChat(directory),
    liteLlm(directory),
    claudeCodeRouter(),
    n8n(),
    homeAssistant(),
  ]
}

function hermes(environment: Environment): KnownClient {
  const home = homeFolder(environment)
  const usual =
    process.platform === 'win32' ? join(environment['LOCALAPPDATA'] || home, 'hermes') : join(home, '.hermes')
  const folder = environment['HERMES_HOME'] || usual
  return {
    ...{ id: 'hermes', title: 'Hermes', isServed: true, request: hermesRequest },
    ...{ file: join(folder, 'config.yaml'), traces: [folder] },
    files: (file, { address }) => [
      { file, format: 'yaml', settings: below('web', hermesSettings) },
      { file: join(dirname(file), '.env'), format: 'env', settings: variables(hermesVariables(address)) },
    ],
    steps: () => ['Start Hermes again: it reads its configuration when it starts.'],
  }
}

function openWebui(): KnownClient {
  return {
    ...{ id: 'open-webui', title: 'Open WebUI', isServed: true, request: openWebuiRequest },
    ...{ traces: [], fileHint: 'the file of variables that its container is started with, such as .env' },
    files: (file, { address }) => [{ file, format: 'env', settings: variables(openWebuiVariables(address)) }],
    steps: (roads) => [
      'Open WebUI takes these variables at its very first start. After that its database has them: Admin Panel, Settings, Web Search has fields of the same names; or start it with ENABLE_PERSISTENT_CONFIG=false.',
      ...inContainer('open-webui', roads),
    ],
  }
}

function libreChat(directory: string): KnownClient {
  const present = join(directory, 'librechat.yaml')
  return {
    ...{ id: 'librechat', title: 'LibreChat', isServed: true, request: libreChatRequest },
    ...{ file: existsSync(present) ? present : undefined, traces: [present] },
    fileHint: 'its librechat.yaml; the .env beside it is written, too',
    files: (file, { address }) => {
      const allowed = libreChatAllowed(address)
      const place = ['webSearch', 'allowedAddresses', { value: allowed ?? '' }]
      const settings = [...below('webSearch', libreChatSettings), ...(allowed ? [{ place, value: allowed }] : [])]
      const env = { file: join(dirname(file), '.env'), format: 'env' as const }
      return [
        { file, format: 'yaml', settings },
        { ...env, settings: variables(libreChatVariables(address)) },
      ]
    },
    steps: (roads) => [
      'Restart LibreChat. An agent then searches with the switch Web Search.',
      ...inContainer('librechat', roads),
    ],
  }
}

function liteLlm(directory: string): KnownClient {
  const present = join(directory, 'litellm_config.yaml')
  return {
    ...{ id: 'litellm', title: 'LiteLLM', isServed: true, request: liteLlmRequest },
    ...{ file: existsSync(present) ? present : undefined, traces: [present] },
    fileHint: 'the configuration of its proxy, as in litellm --config FILE',
    files: (file, { address }) => {
      const place = ['search_tools', { member: 'search_tool_name', value: 'csp' }]
      return [{ file, format: 'yaml', settings: [{ place, value: liteLlmTool(address) }] }]
    },
    steps: (roads) => [
      'Restart the proxy. Its clients then search with the tool csp.',
      ...inContainer('litellm', roads),
    ],
  }
}

function claudeCodeRouter(): KnownClient {
  return {
    ...{ id: 'claude-code-router', title: 'claude-code-router', isServed: true },
    ...{ traces: [], request: routerRequest },
    fileHint: 'a file of variables that it is started with, such as .env',
    files: (file, { address }) => [{ file, format: 'env', settings: variables(routerVariables(address)) }],
    steps: () => [
      'Its configuration is a database (config.sqlite), which csp does not write; since version 3 it reads config.json no more. In its page: Fusion, a model with the tool web_search, provider Brave, and these two as its variables. Or start it with them in its environment: they hold for every Fusion model whose own are empty.',
    ],
  }
}

function n8n(): KnownClient {
  return {
    ...{ id: 'n8n', title: 'n8n', isServed: true, traces: [], request: n8nRequest },
    unwritable: 'n8n keeps its credentials encrypted in its database.',
    files: () => [],
    steps: (roads) => [
      'Credentials, Create, SearXNG API:',
      `  API URL: ${addressWithKey(roads.address)}`,
      'Then add the tool SearXNG with this credential to an AI Agent. Or MCP Client Tool, transport HTTP Streamable:',
      `  Endpoint: ${roads.address.url}/mcp${roads.address.key ? `, Bearer Auth: ${roads.address.key}` : ''}`,
      ...inContainer('n8n', roads),
    ],
  }
}

function homeAssistant(): KnownClient {
  return {
    ...{ id: 'home-assistant', title: 'Home Assistant', isServed: true, traces: [] },
    request: homeAssistantRequest,
    unwritable: 'Home Assistant keeps its integrations in a storage of its own, which only its pages may change.',
    files: () => [],
    steps: ({ address }) => [
      'Settings, Devices & services, Add integration, Model Context Protocol:',
      `  its address: ${addressWithKey(address)}/mcp`,
      'Then choose it in the settings of a conversation agent, below "Control Home Assistant". It waits 10 s for a tool: web_search and fetch_page are quick enough, ask_web seldom is.',
      `Where it runs on another machine, csp is http://THIS-MACHINE:${new URL(address.url).port}, which it answers with a key alone:`,
      '  csp keys add home-assistant',
      '  csp start --host 0.0.0.0',
      firstKey,
    ],
  }
}

/** What a program in a container needs besides, in two commands. */
function inContainer(id: string, { address: { url } }: ClientRoads): readonly string[] {
  const serve = process.platform === 'linux' ? '--host 172.17.0.1' : '--allowed-hosts host.docker.internal'
  return [
    `In a container 127.0.0.1 is not this machine: there csp is http://host.docker.internal:${new URL(url).port}, and answers with a key alone:`,
    `  csp keys add ${id}`,
    `  csp start ${serve}`,
    firstKey,
  ]
}

const firstKey = 'From the first key on, programs that have none are refused: csp setup gives each its own.'

function variables(values: Readonly<Record<string, string>>): readonly Setting[] {
  return Object.entries(values).map(([name, value]) => ({ place: [name], value }))
}

/** Values in a group that others of the user's may be in. */
function below(group: string, values: Readonly<Record<string, unknown>>): readonly Setting[] {
  return Object.entries(values).map(([name, value]) => ({ place: [group, name], value }))
}
