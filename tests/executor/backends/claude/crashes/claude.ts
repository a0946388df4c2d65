import { afterAll, beforeEach, setDefaultTimeout } from 'bun:test'
import { startClaude } from '../../../../support/claude-executor.ts'

setDefaultTimeout(60_000)

/** The one executor whose processes are killed here. */
export const claude = await startClaude()
beforeEach(() => claude.sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())
