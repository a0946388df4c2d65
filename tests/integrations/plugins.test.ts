import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { realClaude } from '../support/real-claude.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const { version } = manifest

test('the plugins have the version of csp', () => {
  expect(read('integrations/claude-code/.claude-plugin/plugin.json').version).toBe(version)
  expect(read('integrations/claude-code/.mcp.json').mcpServers.csp.args).toContain(`${manifest.name}@${version}`)
  expect(read('integrations/openclaw/package.json').version).toBe(version)
})

test('Claude Code takes the marketplace and the plugin without a warning', () => {
  const home = mkdtempSync(join(tmpdir(), 'csp-plugins-'))
  for (const folder of ['.', 'integrations/claude-code']) {
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      [realClaude, 'plugin', 'validate', '--strict', join(root, folder)],
      { cwd: home, env: { PATH: process.env['PATH'], HOME: home }, stdin: 'ignore' },
    )
    expect({ exitCode, said: `${stdout}${stderr}` }).toMatchObject({ exitCode: 0 })
  }
  rmSync(home, { recursive: true, force: true })
})

// docs.openclaw.ai/clawhub/plugin-validation-fixes
test('the plugin for OpenClaw has the fields and files that ClawHub asks for', () => {
  const folder = 'integrations/openclaw'
  const plugin = read(`${folder}/package.json`)
  for (const entry of [...plugin.openclaw.extensions, ...plugin.files])
    expect([entry, existsSync(join(root, folder, entry))]).toEqual([entry, true])
  const atLeast = expect.stringMatching(/^>=\d{4}\.\d+\.\d+$/)
  expect(plugin.openclaw).toMatchObject({
    install: { clawhubSpec: `clawhub:${plugin.name}`, minHostVersion: atLeast },
    compat: { pluginApi: atLeast },
    build: { openclawVersion: expect.any(String) },
  })
  expect(read(`${folder}/openclaw.plugin.json`)).toMatchObject({
    id: expect.stringMatching(/./),
    name: expect.stringMatching(/./),
    configSchema: expect.any(Object),
  })
})
