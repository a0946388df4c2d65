import { afterAll, beforeEach } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSandbox } from '../../../../../packages/sandbox/test/support/recorded-sandbox.ts'
import type { RunningSandbox } from '../../../../../packages/sandbox/test/support/sandbox.ts'
import { startClaude } from '../../../../support/claude-executor.ts'
import { descendantsOf } from '../../../../support/processes.ts'
import { quickClaude } from '../../../../support/quick-claude.ts'

/** Stands in files of the CLI's machine; no model may hear of it. */
export const secret = 'xyzzy-8814-plugh'

/** What pages say wherever they would have named the sandbox. */
export const said = { text: '' }

const web = serveWeb()
/**
 * The real CLI, for what it does with the calls and the texts of csp: one executor for this folder, since its search server
 * and its workers cost two seconds of a core, and a turn a tenth. What csp does with any CLI has `stand-in.ts`.
 */
export const claude = await startClaude({ findBinary: quickClaude, on: web, prepare: hideSecrets })
beforeEach(() => {
  said.text = ''
  claude.sandbox.reset()
})
afterAll(async () => {
  await claude[Symbol.asyncDispose]()
  await web.stop()
})

/** The CLIs that run now. Others than one test has started end at any time, so that their number says little. */
export const cliProcesses = (): readonly number[] => descendantsOf(process.pid).map(({ pid }) => pid)

/** In HOME, above the working folder and in it, under names that a path can hold. */
function hideSecrets(home: string): void {
  for (const name of ['secret.txt', 'a secret.txt', 'work/secret.txt']) writeFileSync(join(home, name), secret)
}

/** A sandbox whose pages can be made to say something. */
function serveWeb(): RunningSandbox {
  const sandbox = createSandbox()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const reply = await sandbox.fetch(request)
      const { text } = said
      if (text === '') return reply
      const spoilt = (await reply.text()).replaceAll(/Sandbox edition|invented/g, () => text)
      return new Response(spoilt, { status: reply.status, headers: reply.headers })
    },
  })
  const stop = () => server.stop(true)
  return { url: `http://127.0.0.1:${server.port}`, sandbox, stop, [Symbol.asyncDispose]: stop }
}
