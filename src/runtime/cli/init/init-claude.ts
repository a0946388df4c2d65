import { sandboxNotice } from '../../../domain/health.ts'
import { placesSearched } from '../../../executor/backends/claude/cli/find.ts'
import type { ClaudeProbe } from '../../../executor/backends/claude/cli/probe.ts'
import { claudeBinary, probeClaude, signIn } from '../../server/claude-cli.ts'
import { csp } from '../../shell/program.ts'
import { folderToFetchInto, offerClaude } from '../offer-claude.ts'
import { heading, type InitCall, isWanted, say } from './init-call.ts'

/** What is known of the CLI: `unused` where no backend needs it. */
export type ClaudeState = 'ready' | 'signed-out' | 'missing' | 'unused'

/** Whether the CLI is missing and will be fetched without a question. */
export function willBeFetched({ loaded: { config }, shell: { environment }, options }: InitCall): boolean {
  const isMissing = config.backends.includes('claude') && claudeBinary(config, environment) === undefined
  return options.yes === true && isMissing && folderToFetchInto(config, environment) !== undefined
}

/** Finds the CLI, or offers to fetch it, and offers its login. */
export async function setUpClaude(call: InitCall): Promise<ClaudeState> {
  const { loaded, shell } = call
  if (!loaded.config.backends.includes('claude')) return 'unused'
  heading(call, 'Claude Code CLI')
  let found = await probeClaude(loaded.config, shell.environment)
  if (!found.binary && (await offerClaude(loaded, shell, call.options.yes, (text) => say(call, `  ${text}`))))
    found = await probeClaude(loaded.config, shell.environment)
  if (!found.binary) {
    say(call, `  Not found. Looked in ${placesSearched}.`)
    say(call, '  Get it with: npm install -g @anthropic-ai/claude-code')
    say(call, `  Then: ${csp} init. If it is elsewhere: ${csp} config set claude-bin PATH`)
    return 'missing'
  }
  if (found.problem) {
    say(call, `  ${found.problem}`)
    say(call, `  Then: ${csp} init`)
    return 'missing'
  }
  say(call, `  ${found.version ?? 'unknown version'} at ${found.binary}`)
  if (loaded.config.sandbox) {
    say(call, `  ${sandboxNotice} No login is needed; for real searches, leave out the setting sandbox.`)
    return 'ready'
  }
  const probe = found.signedIn === false ? await offerLogin(call, found) : found
  if (probe.signedIn === false) return 'signed-out'
  const kind = [probe.authMethod, probe.subscription].filter(Boolean).join(', ')
  say(
    call,
    probe.signedIn
      ? `  Signed in${kind ? ` (${kind})` : ''}`
      : '  Whether it is signed in is unknown; a search will show.',
  )
  return 'ready'
}

/** The CLI signs in by itself, in this terminal. */
async function offerLogin(call: InitCall, probe: ClaudeProbe): Promise<ClaudeProbe> {
  const { shell, loaded, options } = call
  const { binary } = probe
  if (!binary) return probe
  say(call, '  Signed out.')
  if (options.yes ? !call.isAttended : !(await isWanted(call, '  Sign in now?'))) return probe
  return signIn(binary, loaded.config, shell.environment)
}
