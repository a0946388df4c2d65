import { afterAll, beforeEach } from 'bun:test'
import { startClaude } from '../../../../support/claude-executor.ts'

/** The executor of what csp does with any CLI: with the stand-in, whose turns cost a hundredth. */
export const claude = await startClaude()
beforeEach(() => claude.sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())
