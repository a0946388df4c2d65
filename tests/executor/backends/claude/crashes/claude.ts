import { afterAll, beforeEach } from 'bun:test'
import { startClaude } from '../../../../support/claude-executor.ts'

/** The one executor whose processes are killed here. */
export const claude = await startClaude()
beforeEach(() => claude.sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())
