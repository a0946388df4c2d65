import { makeToken, probeClaude, signIn } from '../../server/claude-cli.ts'
import { commandFor, csp } from '../../shell/program.ts'
import { safeLine } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, defineCommand, exitCodes } from '../command.ts'
import { offerClaude } from '../offer-claude.ts'

/** `csp login`: the login of the CLI that csp uses, wherever that is. */
export const login = defineCommand({
  name: 'login',
  usage: '[FLAGS]',
  details:
    'Starts the login of the CLI in this terminal (claude auth login). If this machine has no browser, open the printed link on any device and paste the code that you get. Without a terminal, write the code to standard input. csp never sees a token. If the CLI is missing, csp offers to fetch it from npm. Ends with 0 if the CLI is signed in, otherwise 3.',
  examples: [`${csp} login`, `${csp} login --token`],
  options: {
    token: { help: 'Make a token for another machine instead (claude setup-token)' },
    yes: { short: 'y', help: 'If the CLI is missing, fetch it without asking' },
  },
  arguments: { minimum: 0, maximum: 0 },
  run: runLogin,
})

interface LoginCall extends Call {
  readonly options: { readonly token: boolean; readonly yes: boolean }
}

async function runLogin({ shell, loaded, options }: LoginCall): Promise<number> {
  const { config } = loaded
  const say = (text: string) => shell.output.write(wrapped(`${safeLine(text)}\n`, shell.output))
  if (config.sandbox) {
    say('The sandbox needs no login.')
    return exitCodes.done
  }
  let found = await probeClaude(config, shell.environment)
  if (!found.binary && (await offerClaude(loaded, shell, options.yes, say)))
    found = await probeClaude(config, shell.environment)
  if (!found.binary || (!found.version && found.problem)) {
    shell.errors.write(wrapped(`${found.problem ?? 'There is no CLI.'}\n`, shell.errors))
    return exitCodes.signedOut
  }
  if (options.token) {
    if (!shell.output.isTerminal) {
      shell.errors.write(
        `The CLI makes a token only in a terminal. Run \`${csp} login --token\` in one, on any machine.\n`,
      )
      return exitCodes.signedOut
    }
    say('The token goes into the environment of the csp on the other machine: CLAUDE_CODE_OAUTH_TOKEN=TOKEN')
    return (await makeToken(found.binary, shell.environment)) === 0 ? exitCodes.done : exitCodes.signedOut
  }
  const kind = [found.authMethod, found.subscription].filter(Boolean).join(', ')
  if (found.signedIn) {
    const command = commandFor(found.binary, shell.environment)
    say(`Signed in already${kind ? ` (${kind})` : ''}. To sign out: ${command} auth logout`)
    return exitCodes.done
  }
  say('No browser here? Open the link on any device, and paste the code that you get there.')
  const { signedIn } = await signIn(found.binary, config, shell.environment)
  say(signedIn ? 'Signed in. A csp that runs uses the login from now on.' : 'Still signed out.')
  return signedIn ? exitCodes.done : exitCodes.signedOut
}
