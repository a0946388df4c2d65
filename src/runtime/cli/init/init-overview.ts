import { claudeBinary } from '../../server/claude-cli.ts'
import { aboutFetch } from '../../server/fetched-claude.ts'
import { csp } from '../../shell/program.ts'
import { folderToFetchInto } from '../offer-claude.ts'
import { answerTo, heading, type InitCall, say } from './init-call.ts'
import { foundClients } from './init-clients.ts'
import { managerHere } from './init-server.ts'

/**
 * Shows all that would be done, and asks once. Resolves to the call with which it goes on: with a yes to everything, step
 * by step, or not at all. With `--clients` it goes step by step.
 */
export async function agreedAtOnce(call: InitCall): Promise<InitCall | undefined> {
  const { options, shell } = call
  if (options.yes || options.clients !== undefined) return call
  heading(call, 'Setting up csp')
  for (const step of steps(call)) say(call, `  - ${step}`)
  for (;;) {
    const reply = (await answerTo(shell, 'Do all of this? Yes, no, or s for step by step [Y/n/s] ')).toLowerCase()
    if (/^(?:y|yes)?$/.test(reply)) return { ...call, isAttended: true, options: { ...options, yes: true } }
    if (/^(?:n|no)$/.test(reply)) return undefined
    if (/^(?:s|step|steps)$/.test(reply)) return call
  }
}

function steps(call: InitCall): readonly string[] {
  const { loaded, shell, options } = call
  const { backends, sandbox } = loaded.config
  const usesClaude = backends.includes('claude')
  const folder = folderToFetchInto(loaded.config, shell.environment)
  const isMissing = usesClaude && folder && claudeBinary(loaded.config, shell.environment) === undefined
  const clients = foundClients(call)
  const files = clients.map(({ title, file }) => `${title} (${file})`).join(', ')
  return [
    ...(isMissing ? [`fetch the Claude Code CLI: ${aboutFetch(folder)}`] : []),
    ...(usesClaude && !sandbox ? ['sign in to it, if it is signed out'] : []),
    clients.length > 0
      ? `configure ${files}: each change is shown, and the former file is kept`
      : 'configure no client: none was found',
    ...serving(options.serve ?? (managerHere(call) ? 'service' : 'background')),
    ...(options.noSearch ? [] : [`make one search, ${sandbox ? 'on the sandbox' : 'which counts towards your plan'}`]),
  ]
}

function serving(how: 'service' | 'background' | 'no'): readonly string[] {
  if (how === 'no') return []
  return [how === 'service' ? 'serve from each login on, as a service' : `serve in the background, until ${csp} stop`]
}
