import { isServed } from '../../../clients/client.ts'
import { withSetting } from '../../config/config-text.ts'
import { claudeBinary } from '../../server/claude-cli.ts'
import { aboutFetch } from '../../server/fetched-claude.ts'
import { serviceWay } from '../../shell/distribution.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp, docsPage, serviceProgram } from '../../shell/program.ts'
import type { Stream } from '../../shell/shell.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes } from '../command.ts'
import { changeConfigFile } from '../config/write-config.ts'
import { askYesOrNo } from '../confirm.ts'
import { folderToFetchInto } from '../offer-claude.ts'
import { answerTo, heading, type InitCall, inBackground, initOptions, say } from './init-call.ts'
import { type ClaudeState, setUpClaude, willBeFetched } from './init-claude.ts'
import { type ClientReport, checkClients, chooseClients, foundClients, setUpClients } from './init-clients.ts'
import { managerHere, type SearchReport, type ServerReport, setUpServer, trySearch } from './init-server.ts'

/** `csp init`: from nothing to a first search. */
export const init = defineCommand({
  name: 'init',
  usage: '[FLAGS]',
  details:
    'Asks before it changes anything, once for all changes or step by step. The former file of a client is kept beside it, as FILE.before-csp. Without a terminal, give --yes, with --clients, --serve and --no-search. You can run it again at any time. Ends with 3 if the CLI is missing or signed out.',
  examples: [
    `${csp} init`,
    `${csp} init --yes --clients cursor,openclaw --serve service`,
    `${csp} init --yes --clients none`,
  ],
  options: initOptions,
  arguments: { minimum: 0, maximum: 0 },
  run: runInit,
})

async function runInit(given: InitCall): Promise<number> {
  // With --json the story goes to standard error, and the result alone to standard output.
  const asked = given.options.json ? { ...given, shell: { ...given.shell, output: given.shell.errors } } : given
  for (const warning of asked.loaded.warnings) asked.shell.errors.write(wrapped(`${warning}\n`, asked.shell.errors))
  checkClients(asked)
  const call = await agreedAtOnce(asked)
  if (!call) {
    say(asked, 'Nothing was changed.')
    return exitCodes.done
  }
  const { output } = given.shell
  const choices = call.options.yes ? await chooseClients(call) : undefined
  // OpenClaw takes ten seconds to install a plugin; everything else is done meanwhile.
  const begin = () => choices && inBackground(call, (own) => setUpClients(own, choices))
  let meanwhile = willBeFetched(call) ? begin() : undefined
  try {
    const claude = await setUpClaude(call)
    if (claude === 'missing') {
      const clients = (await meanwhile?.result()) ?? []
      if (call.options.json) output.write(prettyJson({ claude, clients, next: [`${csp} init`] }))
      return exitCodes.signedOut
    }
    if (claude === 'ready') await offerFreeBackend(call)
    meanwhile ??= begin()
    const chosen = choices ?? (await chooseClients(call))
    const inTurn = meanwhile ? undefined : await setUpClients(call, chosen)
    const server = await setUpServer(call, chosen.some(isServed))
    const search = await trySearch(call, claude)
    const clients = inTurn ?? (await meanwhile?.result()) ?? []
    return end(call, output, { claude, clients, server, search })
  } finally {
    await meanwhile?.result()
  }
}

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
    ...(usesClaude && !sandbox ? ['sign in to Claude, if you are signed out'] : []),
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

/**
 * Offers a backend that needs no key for when Claude cannot search. Only where nobody has chosen backends yet, and never
 * without a person's yes, since questions then go to a third party.
 */
export async function offerFreeBackend(call: InitCall): Promise<void> {
  const { shell, loaded, options } = call
  if (options.yes || loaded.origins.backends !== 'default') return
  heading(call, 'When Claude cannot search')
  const question =
    '  Once your plan is used up, searches fail. Ask Parallel (search.parallel.ai) then? It needs no account; it sees those questions, and its terms apply.'
  if ((await askYesOrNo(shell, question, { usual: 'no' })) !== true) return
  const backends = [...loaded.config.backends, 'parallel-free']
  await changeConfigFile(call, (path, text) => withSetting(path, text, 'backends', backends))
  say(call, `  Written to ${loaded.path}: backends ${backends.join(', ')}. ${docsPage('backends.md')}`)
}

/** Says what comes next. Resolves to the exit code. */
function end(call: InitCall, output: Stream, outcome: Outcome): number {
  const { claude, clients, server, search } = outcome
  const next = nextSteps(call, outcome)
  heading(call, 'Next')
  for (const step of next) say(call, `  ${step}`)
  if (call.options.json) output.write(prettyJson({ ...outcome, next }))
  if (claude === 'signed-out') return exitCodes.signedOut
  const failed = clients.some(({ outcome }) => outcome === 'failed') || server?.ok === false || search?.ok === false
  return failed ? exitCodes.failed : exitCodes.done
}

interface Outcome {
  readonly claude: ClaudeState
  readonly clients: readonly ClientReport[]
  readonly server: ServerReport | undefined
  readonly search: SearchReport | undefined
}

function nextSteps({ shell }: InitCall, { claude, clients, server, search }: Outcome): readonly string[] {
  const written = clients.filter(({ outcome }) => outcome === 'written').map(({ title }) => title)
  return [
    ...(claude === 'signed-out' ? [`Sign in: ${csp} login`] : []),
    ...(written.length > 0 ? [`Restart ${written.join(', ')} to load csp's tools.`] : []),
    ...(server?.ok === true && server.url ? [`See its state, and search in a browser: ${server.url}`] : []),
    ...(serviceProgram(shell.environment) ? [] : [`To serve from each login on: ${serviceWay}`]),
    ...(server?.ok === true && server.url ? [] : [`Serve other programs: ${csp} start`]),
    ...(search?.ok === false ? [`See what is wrong with the search: ${csp} doctor`] : []),
    `Search here: ${csp} search "bun release notes", ${csp} ask "who maintains hono?"`,
    `Other clients: ${csp} setup, and ${docsPage('clients')}`,
  ]
}
