import { createSandbox, type Sandbox, type SandboxOptions } from './recorded-sandbox.ts'

export interface RunningSandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string
  readonly sandbox: Sandbox
  /** Closes every connection. Idempotent. */
  stop(): Promise<void>
}

export interface HoldableSandbox extends RunningSandbox {
  /** Keeps replies back, to calls that are counted already, until the returned function is called. */
  hold(): () => void
}

/** Serves a sandbox on a free port of loopback. */
export function startSandbox(options: SandboxOptions = {}): HoldableSandbox {
  const sandbox = createSandbox(options)
  let held: Promise<void> | undefined
  const fetch = async (request: Request): Promise<Response> => {
    const response = await sandbox.fetch(request)
    await held
    return response
  }
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch })
  const stop = () => server.stop(true)
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    return resolve
  }
  return { url: `http://127.0.0.1:${server.port}`, sandbox, hold, stop, [Symbol.asyncDispose]: stop }
}
