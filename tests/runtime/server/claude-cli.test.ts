import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { probeClaude } from '../../../src/runtime/server/claude-cli.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-claude-cli-'))
afterAll(() => rmSync(home, { recursive: true }))

/** A CLI that takes a moment, and says what it is only if its folder is still there. */
const slowCli = `#!/bin/sh
sleep 0.2
[ -d "$PWD" ] && [ "$*" = --version ] && echo "2.9.9 (Claude Code)"
`

test.each(['off', 'on'])('a probe of the CLI has its folder until it ends, with sandbox %s', async (sandbox) => {
  const binary = join(home, 'claude')
  writeFileSync(binary, slowCli)
  chmodSync(binary, 0o755)
  const environment = { HOME: home, PATH: '/usr/bin:/bin', CSP_CLAUDE_BIN: binary, CSP_SANDBOX: sandbox }
  const { config } = loadConfig({}, environment, home)
  expect(config.sandbox).toBe(sandbox === 'on')
  expect(await probeClaude(config, environment)).toMatchObject({ binary, version: '2.9.9' })
})
