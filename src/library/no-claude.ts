import type { Executor } from '../executor/executor.ts'
import type { ClaudeOptions } from './claude-options.ts'

/**
 * Stands in for `claude` on a Worker, where no process can be started.
 * @example const backends = [remote({ url: 'https://csp.example.org' })] // in place of claude()
 */
export function claude(_options?: ClaudeOptions): Executor {
  throw new TypeError(
    'claude() starts the Claude Code CLI, which a Worker cannot do. Use remote(), which asks a csp on a machine that can, or another backend.',
  )
}
