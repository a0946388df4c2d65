import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingsDigest } from '../../../src/runtime/background/settings-digest.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-digest-'))
afterAll(() => rmSync(home, { recursive: true }))

test('csp mcp with the path of the CLI in a variable answers as a csp that found it on PATH, and not as one with another model', () => {
  writeFileSync(join(home, 'claude'), '#!/bin/sh\n', { mode: 0o755 })
  const digest = (more: Readonly<Record<string, string>>) => {
    const environment = { HOME: home, ...more }
    return settingsDigest(loadConfig({}, environment, home).config, environment)
  }
  const onPath = digest({ PATH: home })
  expect(digest({ PATH: '/nowhere', CSP_CLAUDE_BIN: join(home, 'claude') })).toBe(onPath)
  expect(digest({ PATH: home, CSP_PORT: '1', CSP_LOG_LEVEL: 'debug' })).toBe(onPath)
  expect(digest({ PATH: home, CSP_MODEL: 'haiku' })).not.toBe(onPath)
})
