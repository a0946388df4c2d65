import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/settings.ts'

export interface RunningSandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string
  readonly sandbox: Sandbox
  /** Closes every connection. Idempotent. */
  stop(): Promise<void>
}

/** Serves a sandbox on a free port of loopback. */
export function startSandbox(options: SandboxOptions = {}): RunningSandbox {
  const sandbox = createSandbox(options)
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: sandbox.fetch })
  const stop = () => server.stop(true)
  return { url: `http://127.0.0.1:${server.port}`, sandbox, stop, [Symbol.asyncDispose]: stop }
}
