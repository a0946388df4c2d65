// Starts processes
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { claudeCode } from '../../scripts/shelves/claude.ts'
import { iconFiles } from '../../scripts/shelves/icons.ts'
import { shelfFiles } from '../../scripts/shelves/shelves.ts'
import { testNeeding } from '../support/needs.ts'
import { realClaude } from '../support/real-claude.ts'
import { facts } from './some-facts.ts'

// Each registry's own program, where it is on this machine.

const root = join(import.meta.dir, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'csp-shelves-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
for (const [path, text] of Object.entries({ ...shelfFiles(facts), ...claudeCode(facts), ...(await iconFiles()) })) {
  mkdirSync(dirname(join(scratch, path)), { recursive: true })
  writeFileSync(join(scratch, path), text)
}

const mcpb = join(root, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')
const env = { PATH: process.env['PATH'], HOME: scratch, NIX_STATE_DIR: join(scratch, 'nix-state') }

function run(...command: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: scratch, env, stdin: 'ignore' })
  return { exitCode, said: `${stdout}${stderr}` }
}

/** Whether the command ends well; otherwise the test shows what it said. */
function expectWell(...command: string[]): void {
  expect(run(...command)).toMatchObject({ exitCode: 0, said: expect.any(String) })
}

test('Claude Code takes the marketplace and the plugin without a warning, and refuses a damaged one', () => {
  expectWell(realClaude, 'plugin', 'validate', '--strict', scratch)
  expectWell(realClaude, 'plugin', 'validate', '--strict', join(scratch, 'integrations/claude-code'))
  writeFileSync(join(scratch, 'marketplace.json'), '{"name": "csp"}')
  expect(run(realClaude, 'plugin', 'validate', '--strict', join(scratch, 'marketplace.json')).exitCode).not.toBe(0)
})

testNeeding('@anthropic-ai/mcpb', existsSync(mcpb))('Claude Desktop takes the bundle', () => {
  expectWell('node', mcpb, 'validate', join(scratch, 'claude-desktop/manifest.json'))
})

testNeeding('ruby', Bun.which('ruby') !== null)('Ruby can read the formula of Homebrew', () => {
  expectWell('ruby', '-c', join(scratch, 'homebrew/Formula/claude-search-proxy.rb'))
})

testNeeding('nix', Bun.which('nix-instantiate') !== null)('Nix can read the flake', () => {
  expectWell('nix-instantiate', '--parse', join(scratch, 'nix/flake.nix'))
})

test('bash can read the recipe for Arch Linux, and node the scripts', () => {
  expectWell('bash', '-n', join(scratch, 'aur/PKGBUILD'))
  expectWell('node', '--check', join(scratch, 'home-assistant/csp/run.mjs'))
})

test('the bundle of Claude Desktop starts the csp that is installed, or else its own version by npx', () => {
  const start = (name: string) => {
    const bin = join(scratch, `bin-${name}`)
    mkdirSync(bin)
    writeFileSync(join(bin, name), '#!/bin/sh\necho "$(basename "$0") $*"\ncat\nexit 7\n')
    chmodSync(join(bin, name), 0o755)
    const { mcp_config } = JSON.parse(readFileSync(join(scratch, 'claude-desktop/manifest.json'), 'utf8')).server
    const { exitCode, stdout } = Bun.spawnSync(
      [Bun.which('node') ?? 'node', join(scratch, 'claude-desktop/index.mjs')],
      {
        env: { HOME: scratch, PATH: `${bin}:/usr/bin:/bin`, ...mcp_config.env },
        stdin: new TextEncoder().encode('a message'),
      },
    )
    return { exitCode, said: stdout.toString() }
  }
  expect(start('npx')).toEqual({ exitCode: 7, said: `npx -y claude-search-proxy@${facts.version} mcp\na message` })
  expect(start('claude-search-proxy')).toEqual({ exitCode: 7, said: 'claude-search-proxy mcp\na message' })
})
