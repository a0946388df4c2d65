import { createSandbox } from '@csp/sandbox/sandbox'
import type { PaceOptions } from '@csp/sandbox/stream/pace'
import type { Environment } from '../shell/shell.ts'

/** A sandbox that listens on loopback. */
export interface ServedSandbox {
  readonly url: string
  /** The caller's environment, pointed at the sandbox: a home of its own, and no login. */
  readonly environment: Environment
  stop(): Promise<void>
}

/** Starts a sandbox on a free port. `home` becomes the CLI's home, so that no real login can be used. */
export function serveSandbox(environment: Environment, home: string, pace?: PaceOptions): ServedSandbox {
  const sandbox = createSandbox({ pace, library: true })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    fetch: (request) => sandbox.fetch(request),
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    environment: {
      ...Object.fromEntries(kept.map((name) => [name, environment[name]])),
      HOME: home,
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_OAUTH_TOKEN: 'sandbox-token-that-opens-nothing',
    },
    stop: () => server.stop(true),
  }
}

const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'ComSpec']
