import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Path of the `claude` binary among the dependencies: the platform's own, or the wrapper that npm links. */
export const realClaude = findClaude()

/** The whole environment of a CLI that talks to a sandbox: nothing of this machine's login or keys. */
export function claudeEnvironment(sandboxUrl: string, home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: tmpdir(),
    ANTHROPIC_BASE_URL: sandboxUrl,
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-sandbox',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // The pages of a sandbox do not exist.
    CSP_EXCERPTS: 'lines',
    // Half a second of a core for each csp; the CLI starts with the first search that needs it.
    CSP_WARM_UP: 'off',
  }
}

/** The environment of a Claude Code that asks a csp, or another server of the Messages API. */
export function claudeCodeEnvironment(url: string, home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: tmpdir(),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: 'local',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
}

export interface ScratchHome extends AsyncDisposable {
  readonly path: string
}

/** An empty temporary folder that goes away again. */
export async function scratchHome(): Promise<ScratchHome> {
  const path = await mkdtemp(join(tmpdir(), 'csp-home-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

function findClaude(): string {
  const modules = join(import.meta.dir, '../../node_modules')
  const suffixes = ['', '-musl']
  const platformed = suffixes.map((suffix) =>
    join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}${suffix}`, 'claude'),
  )
  return platformed.find((path) => existsSync(path)) ?? join(modules, '.bin/claude')
}
