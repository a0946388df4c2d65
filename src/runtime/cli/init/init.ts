import { isServed } from '../../../clients/client.ts'
import { serviceWay } from '../../shell/distribution.ts'
import { prettyJson } from '../../shell/printed.ts'
import { csp, docsPage, serviceProgram } from '../../shell/program.ts'
import type { Stream } from '../../shell/shell.ts'
import { defineCommand, exitCodes } from '../command.ts'
import { heading, type InitCall, inBackground, initOptions, say } from './init-call.ts'
import { type ClaudeState, setUpClaude, willBeFetched } from './init-claude.ts'
import { type ClientReport, checkClients, chooseClients, setUpClients } from './init-clients.ts'
import { offerFreeBackend } from './init-fallback.ts'
import { agreedAtOnce } from './init-overview.ts'
import { type SearchReport, type ServerReport, setUpServer, trySearch } from './init-server.ts'

/** `csp init`: from nothing to a first search. */
export const init = defineCommand({
  name: 'init',
  usage: '[FLAGS]',
  details:
    'Asks before it changes anything, once for all of it or step by step; what a client had before is kept beside its file, as FILE.before-csp. Without a terminal: --yes, with --clients, --serve and --no-search. May be run again at any time. Ends with 3 when the CLI is missing or signed out.',
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
  for (const warning of asked.loaded.warnings) asked.shell.errors.write(`${warning}\n`)
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
