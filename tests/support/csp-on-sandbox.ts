import { afterAll, beforeEach } from 'bun:test'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from './csp-process.ts'

export interface CspOnSandbox {
  readonly csp: CspProcess
  readonly standIn: RunningSandbox
}

/** A csp on a sandbox of its own, for all tests of the file that asks for it. Before each test the sandbox is `ok`. */
export async function cspOnSandbox(
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<CspOnSandbox> {
  const standIn = startSandbox()
  const csp = await startCsp({ standInUrl: standIn.url, flags: ['--rate', '0', ...flags], environment })
  beforeEach(() => standIn.sandbox.configure({ scenario: 'ok' }))
  afterAll(async () => {
    await csp.stop()
    await standIn.stop()
  })
  return { csp, standIn }
}
