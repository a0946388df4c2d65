import { afterAll, beforeEach, setDefaultTimeout } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startClaude } from '../../../../support/claude-executor.ts'

setDefaultTimeout(60_000)

/** Stands in `secret.txt` in the folder that the CLI runs in; no model may hear of it. */
export const secret = 'xyzzy-8814-plugh'

/** The one executor of this folder: its search server and its workers cost two seconds of a core. */
export const claude = await startClaude({ prepare: (home) => writeFileSync(join(home, 'work/secret.txt'), secret) })
beforeEach(() => claude.sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())
