import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFound, knownClients } from '../../../src/runtime/client-files/known-clients.ts'

const fileOf = (id: string, environment: Readonly<Record<string, string>>, directory = '/w') =>
  knownClients({ HOME: '/h', ...environment }, directory).find((client) => client.id === id)?.file

test.if(process.platform === 'linux').each([
  ['claude-code', {}, '/h/.claude.json'],
  ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.claude.json'],
  ['claude-desktop', {}, '/h/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', { XDG_CONFIG_HOME: '/x' }, '/x/Claude/claude_desktop_config.json'],
  ['zed', {}, '/h/.config/zed/settings.json'],
  ['zed', { XDG_CONFIG_HOME: '/x' }, '/x/zed/settings.json'],
  ['goose', {}, '/h/.config/goose/config.yaml'],
  ['opencode', { XDG_CONFIG_HOME: '/x' }, '/x/opencode/opencode.json'],
  ['opencode', {}, '/h/.config/opencode/opencode.json'],
  ['copilot', {}, '/h/.copilot/mcp-config.json'],
  ['copilot', { COPILOT_HOME: '/c' }, '/c/mcp-config.json'],
  ['qwen-code', {}, '/h/.qwen/settings.json'],
  ['qwen-code', { QWEN_HOME: '/q' }, '/q/settings.json'],
  ['kilo', {}, '/h/.config/kilo/kilo.jsonc'],
  ['kilo', { XDG_CONFIG_HOME: '/x' }, '/x/kilo/kilo.jsonc'],
  ['crush', {}, '/h/.config/crush/crush.json'],
  ['crush', { XDG_CONFIG_HOME: '/x' }, '/x/crush/crush.json'],
  ['crush', { CRUSH_GLOBAL_CONFIG: '/g', XDG_CONFIG_HOME: '/x' }, '/g/crush.json'],
  ['pi', {}, '/h/.pi/agent/mcp.json'],
  ['pi', { PI_CODING_AGENT_DIR: '/p' }, '/p/mcp.json'],
  ['lm-studio', {}, '/h/.lmstudio/mcp.json'],
  ['anythingllm', {}, '/h/.config/anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json'],
  ['lobechat', {}, undefined],
  ['hermes', {}, '/h/.hermes/config.yaml'],
  ['hermes', { HERMES_HOME: '/m' }, '/m/config.yaml'],
  ['continue', {}, '/h/.continue/mcpServers/csp.yaml'],
  ['continue', { CONTINUE_GLOBAL_DIR: '/g' }, '/g/mcpServers/csp.yaml'],
  ['openclaw', {}, '/h/.openclaw/openclaw.json'],
  ['openclaw', { OPENCLAW_HOME: '/o' }, '/o/.openclaw/openclaw.json'],
  ['openclaw', { OPENCLAW_STATE_DIR: '/s', OPENCLAW_HOME: '/o' }, '/s/openclaw.json'],
  ['openclaw', { OPENCLAW_CONFIG_PATH: '/p/c.json', OPENCLAW_STATE_DIR: '/s' }, '/p/c.json'],
  ['librechat', {}, undefined],
  ['open-webui', {}, undefined],
])('the file of %s with %j is %p', (id, environment, file) => {
  expect(fileOf(id, environment)).toBe(file)
})

test('a file that may be in any folder is the one of this folder, if it is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-known-'))
  const file = join(folder, 'librechat.yaml')
  const found = () =>
    knownClients({ HOME: '/h' }, folder)
      .filter((client) => isFound(client))
      .map(({ id }) => id)
  expect([fileOf('librechat', {}, folder), found()]).toEqual([undefined, []])
  writeFileSync(file, '')
  expect([fileOf('librechat', {}, folder), found()]).toEqual([file, ['librechat']])
  rmSync(folder, { recursive: true })
})

test('an empty folder, or one with empty folders alone, is no sign of a program', () => {
  const home = mkdtempSync(join(tmpdir(), 'csp-known-'))
  const found = () =>
    knownClients({ HOME: home }, home)
      .filter((client) => isFound(client))
      .map(({ id }) => id)
  mkdirSync(join(home, '.cursor/extensions'), { recursive: true })
  mkdirSync(join(home, '.hermes'))
  expect(found()).toEqual([])
  writeFileSync(join(home, '.cursor/extensions/extensions.json'), '[]')
  writeFileSync(join(home, '.hermes/state.db'), '')
  expect(found()).toEqual(['cursor', 'hermes'])
  rmSync(home, { recursive: true })
})
