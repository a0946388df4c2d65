import { placesSearched } from '../../../executor/backends/claude/cli/find.ts'
import type { ClaudeProbe } from '../../../executor/backends/claude/cli/probe.ts'
import { claudeBinary, probeClaude, signIn } from '../../bun/claude-cli.ts'
import { csp } from '../../shell/program.ts'
import { offerClaude } from '../offer-claude.ts'
import { heading, type InitCall, isWanted, say } from './init-call.ts'

/** What is known of the CLI: `unused` where no backend needs it. */
export type ClaudeState = 'ready' | 'signed-out' | 'missing' | 'unused'

/**
 * Where all was agreed to and the CLI is missing, begins to fetch it, which takes longest, and resolves when that has
 * ended. `undefined` if there is nothing to fetch.
 */
export function fetchedMeanwhile(call: InitCall): Promise<boolean> | undefined {
  const { loaded, shell, options } = call
  const { config } = loaded
  if (!options.yes || !config.backends.includes('claude') || claudeBinary(config, shell.environment)) return undefined
  return offerClaude(loaded, shell, true, (text) => say(call, text))
}

/** Finds the CLI and offers its login; `isFetched`: it was fetched before, or could not be. */
export async function setUpClaude(call: InitCall, isFetched = false): Promise<ClaudeState> {
  const { loaded, shell } = call
  if (!loaded.config.backends.includes('claude')) return 'unused'
  heading(call, 'Claude Code CLI')
  let found = await probeClaude(loaded.config, shell.environment)
  if (
    !found.binary &&
    !isFetched &&
    (await offerClaude(loaded, shell, call.options.yes, (text) => say(call, `  ${text}`)))
  )
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
  say(call, `  ${found.version ?? 'of an unknown version'} at ${found.binary}`)
  const probe = found.signedIn === false ? await offerLogin(call, found) : found
  if (probe.signedIn === false) return 'signed-out'
  const kind = [probe.authMethod, probe.subscription].filter(Boolean).join(', ')
  say(call, probe.signedIn ? `  Signed in${kind ? ` (${kind})` : ''}` : '  Its login is unknown; a search shows it.')
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
