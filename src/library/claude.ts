import { claude as claudeBackend } from '../executor/backends/claude/claude.ts'
import { findClaude } from '../executor/backends/claude/cli/find.ts'
import type { Executor } from '../executor/executor.ts'
import { openScratch, type Scratch, workFolder } from '../runtime/server/scratch.ts'
import { version } from '../runtime/version.ts'
import type { ClaudeOptions } from './claude-options.ts'

/**
 * Lists and written answers by the Claude Code CLI of this machine, which must be installed and signed in. It also writes
 * answers over the pages that other backends find. Its processes start with the first search and end with `close`, or
 * with this process. Needs a machine: node, Bun or Deno.
 * @example
 * const app = createApp({ backends: claude() })
 * const { text } = await app.search({ query: 'What is new in Bun 1.4?', want: 'answer' })
 * await app.close()
 */
export function claude(options: ClaudeOptions = {}): Executor {
  const {
    model = 'sonnet',
    searchModel = 'haiku',
    answers = 'auto',
    auth = 'subscription',
    idleSeconds = 300,
    onWarning,
  } = options
  const environment = options.environment ?? process.env
  let scratch: Scratch | undefined
  const backend = claudeBackend({
    findBinary: () => findClaude({ ...environment, CSP_CLAUDE_BIN: options.binary ?? environment['CSP_CLAUDE_BIN'] }),
    environment,
    get workingDirectory() {
      scratch ??= openScratch()
      return workFolder(scratch)
    },
    model,
    searchModel,
    answers,
    auth,
    version,
    excerpts: 'lines',
    maxSessionSearches: 20,
    sessionContext: 'clear',
    idleMs: idleSeconds > 0 ? idleSeconds * 1000 : Number.POSITIVE_INFINITY,
    log: (level, message) => {
      if (level === 'warning') onWarning?.(message)
    },
  })
  return {
    name: 'claude',
    search: backend.search,
    answers: backend.answers,
    prepare: backend.prepare,
    health: backend.health,
    async close() {
      await backend.close()
      scratch?.remove()
    },
  }
}
