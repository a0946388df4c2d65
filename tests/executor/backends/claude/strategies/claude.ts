import { afterAll, beforeEach, setDefaultTimeout } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startClaude } from '../../../../support/claude-executor.ts'
import { descendantsOf } from '../../../../support/processes.ts'
import { quickClaude } from '../../../../support/quick-claude.ts'

setDefaultTimeout(60_000)

/** Stands in files of the CLI's machine; no model may hear of it. */
export const secret = 'xyzzy-8814-plugh'

/** The one executor of this folder: its search server and its workers cost two seconds of a core. */
export const claude = await startClaude({ findBinary: quickClaude, prepare: hideSecrets })
beforeEach(() => claude.sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())

/** The CLIs that run now. Others than one test has started end at any time, so that their number says little. */
export const cliProcesses = (): readonly number[] => descendantsOf(process.pid).map(({ pid }) => pid)

/** In HOME, above the working folder and in it, under names that a path can hold. */
function hideSecrets(home: string): void {
  for (const name of ['secret.txt', 'a secret.txt', 'work/secret.txt']) writeFileSync(join(home, name), secret)
}
